"""Generated PDFs: what they print is their truth, and every style can be printed."""

from __future__ import annotations

import re
from collections import Counter

from tests.training.test_invented_articles import RECORDS

from medharvest.evaluate.labelled_pages import ReadPage
from medharvest.pages import parse_page
from medharvest.zones.labeller import observe_pdf
from training.article_styles import STYLE_OPTIONS
from training.invented_pdfs import invent_pdfs
from training.pdf_canvas import Box, Paragraph, PdfCanvas, Run
from training.pdf_styles import PDF_OPTIONS, draw_journal
from training.zone_models import align_true_labels

PDFS = invent_pdfs(RECORDS, journals=60, seed=7)
LEAST_FOUND = 0.8  # share of the PDFs in which zones are found for a field: covers and columns hide some


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _printed(page: ReadPage) -> str:
    return _letters(re.sub("<[^>]*>", "", parse_page(page.body, name=page.id).text))


def test_the_same_seed_gives_the_same_pdfs_and_another_seed_others():
    assert invent_pdfs(RECORDS, journals=3, seed=7) == PDFS[:3]
    assert invent_pdfs(RECORDS, journals=3, seed=8) != PDFS[:3]
    assert len({page.body for page in PDFS}) == len(PDFS)


def test_a_pdf_prints_its_truth():
    missing: Counter[str] = Counter()
    for page in PDFS:
        printed = _printed(page)
        for name in ("title", "journal", "volume", "first_page", "doi"):
            missing[name] += bool(page.truth.get(name)) and _letters(page.truth[name]) not in printed
        families = [_letters(re.split(r"[ ,]", name)[-1]) for name in page.truth["authors"] if "," not in name]
        missing["authors"] += not all(family in printed for family in families)
    assert all(count <= 2 for count in missing.values()), missing


def test_the_zones_of_a_pdf_are_those_of_its_truth():
    found: Counter[str] = Counter()
    for page in PDFS:
        labels = align_true_labels(observe_pdf(parse_page(page.body, name=page.id)).zones, page.truth) or []
        found.update({"both" if label in {"author", "affiliation"} else label for label in labels})
    assert min(found["title"], found["both"], found["abstract"]) >= LEAST_FOUND * len(PDFS)


def test_journals_use_every_option_and_only_what_can_be_printed():
    drawn = [draw_journal(3, number) for number in range(400)]
    for name, options in PDF_OPTIONS.items():
        assert {getattr(style, name) for _, style in drawn} == set(options)
    assert not {site.style.language for site, _ in drawn} & {"zh", "ja", "fa", "ar"}
    assert all(getattr(site.style, name) in STYLE_OPTIONS[name] for site, _ in drawn for name in ("byline", "places"))


def test_text_that_does_not_fit_is_given_back():
    canvas = PdfCanvas(title="Sleep")
    paragraph = Paragraph((Run("one two "), Run("three", "b"), Run("1", "sup"), Run(" four five six")), 10.0)
    left = list(canvas.fill([paragraph, paragraph], [Box(0, 80, 40, 100), Box(50, 88, 90, 100)]))
    assert ["".join(run.text for run in one.runs).split() for one in left] == [
        ["four", "five", "six"],
        ["one", "two", "three1", "four", "five", "six"],
    ]
