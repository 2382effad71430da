"""Generator of contents pages with a label for every link.

With generated pages, a model is trained on more sites than the corpus has.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from training import invented_words as words


class GeneratedPage(NamedTuple):
    """A page, its address, and for each link in order whether it is an article and its kind."""

    url: str
    text: str
    labels: tuple[tuple[bool, str], ...]


class _SiteStyle(NamedTuple):
    """The look of a generated site, drawn once for each page."""

    host: str
    url: str
    base: str
    volume: int
    issue: int
    classed: bool
    prefix: str
    address: str
    forms: tuple[tuple[str, str], ...]
    titled: bool
    unit: str
    list: str
    title_words: int
    authors: str
    actions: tuple[str, ...]
    icons: bool
    cited: bool
    again: str
    repeated: bool
    elsewhere: bool
    resolved: bool


def generate_contents_page(number: int) -> GeneratedPage:
    """Generate a page; the same number always gives the same page."""
    draw = random.Random(number)  # noqa: S311  (no secret)
    writer = _PageWriter(draw, _draw_site_style(draw))
    writer.page()
    return GeneratedPage(writer.style.url, "".join(writer.parts), tuple(writer.labels))


def _draw_site_style(draw: random.Random) -> _SiteStyle:
    host = f"www.{draw.choice(words.TOPIC_WORDS)}{draw.choice(('journal', 'press', 'review', ''))}.example"
    volume, issue = draw.randint(1, 90), draw.randint(1, 12)
    address = draw.choice((*words.ARTICLE_ADDRESSES, *words.HANDMADE_ADDRESSES))
    offer = (
        ()
        if address in words.HANDMADE_ADDRESSES and _happens_by_chance(draw, 0.5)
        else draw.choice(words.OFFERED_FORMS)
    )
    forms = tuple((kind, draw.choice(words.FORM_TEXTS[kind])) for kind in offer)
    unit, around = draw.choice(words.ARTICLE_ELEMENTS)
    return _SiteStyle(
        host=host,
        url=f"https://{host}/{volume}/{issue}/" if _happens_by_chance(draw, 0.6) else "",
        base=draw.choice(("", "/", "/content/", "/journal/", f"/{volume}/", "/archive/", "/pub/j/")),
        volume=volume,
        issue=issue,
        classed=_happens_by_chance(draw, 0.6),
        prefix=draw.choice(("", "j-", "site_", "c")),
        address=address,
        forms=forms,
        titled=not forms or _happens_by_chance(draw, 0.75),
        unit=unit,
        list=around,
        title_words=draw.choice((2, 2, 6, 10, 14)),
        authors=draw.choice(words.AUTHOR_STYLES),
        actions=tuple(draw.sample(words.ACTION_TEXTS, draw.choice((0, 0, 1, 2, 3)))),
        icons=_happens_by_chance(draw, 0.2),
        cited=_happens_by_chance(draw, 0.5),
        again=draw.choice(words.SECOND_LINK_TEXTS),
        repeated=_happens_by_chance(draw, 0.12),
        elsewhere=_happens_by_chance(draw, 0.15),
        resolved=_happens_by_chance(draw, 0.17),
    )


def _happens_by_chance(draw: random.Random, share: float) -> bool:
    return draw.random() < share


class _PageWriter:
    """Writes one page and collects the labels of its links."""

    def __init__(self, draw: random.Random, style: _SiteStyle) -> None:
        self.parts: list[str] = []
        self.labels: list[tuple[bool, str]] = []
        self.style = style
        self._draw = draw

    def page(self) -> None:
        """Write the whole page: boxes before and after the contents, the contents, the footer."""
        draw = self._draw
        boxes = [self._menu] * draw.randint(0, 2) + [self._archive] * draw.randint(0, 1)
        boxes += [self._subjects] * draw.randint(0, 1) + [self._social] * draw.randint(0, 1)
        boxes += [self._letters] * _happens_by_chance(draw, 0.1) + [self._formats] * _happens_by_chance(draw, 0.15)
        draw.shuffle(boxes)
        cut = draw.randint(0, len(boxes))
        self._write("<html><body>")
        for place, box in enumerate([*boxes[:cut], self._contents, *boxes[cut:]]):
            if place == cut:
                box()
            else:
                self._boxed(box)
        self._wrapped("footer", self._menu)
        self._write("</body></html>")

    def _write(self, code: str) -> None:
        self.parts.append(code)

    def _link(self, href: str, shown: str, kind: str | None = None) -> None:
        """Write a link; a link with a kind leads to an article."""
        self._write(f'<a href="{href}">{shown}</a>')
        self.labels.append((kind is not None, kind or ""))

    def _boxed(self, box: Callable[[], None]) -> None:
        heading, level = self._draw.choice(words.BOX_HEADINGS), self._draw.randint(2, 4)
        self._write(f"<h{level}>{heading}</h{level}>" if heading else "")
        self._wrapped(self._draw.choice(words.BOX_NAMES), box)

    def _wrapped(self, name: str, write: Callable[[], None]) -> None:
        tag = name if name in {"nav", "header", "footer"} and _happens_by_chance(self._draw, 0.4) else "div"
        self._write(f"<{tag}{self._class(name)}>")
        write()
        self._write(f"</{tag}>")

    def _class(self, name: str) -> str:
        attribute = self._draw.choice(("class", "class", "id"))
        return f' {attribute}="{self.style.prefix}{name}"' if self.style.classed else ""

    def _menu(self) -> None:
        draw = self._draw
        unit, glue = draw.choice(("li", "li", "td", "span", "p")), draw.choice(("", " | ", "\n", " &gt; "))
        address = draw.choice(words.MENU_ADDRESSES)
        for name in draw.sample(words.MENU_ENTRIES, draw.randint(3, 18)):
            slug = "_".join(name.lower().split()[:3])
            href = address.format(slug, draw.randint(1, 400))
            if _happens_by_chance(draw, 0.08):
                href = f"https://www.{draw.choice(words.TOPIC_WORDS)}.example/{slug}"
            self._write(f"<{unit}>")
            self._link(href, name)
            self._write(f"</{unit}>{glue}")

    def _archive(self) -> None:
        shown, href = self._draw.choice(words.ISSUE_TEXTS), self._draw.choice(words.ISSUE_ADDRESSES)
        for n in range(self._draw.randint(4, 24)):
            volume, pages = self.style.volume - n // 6, n * 90
            facts = {
                "v": volume,
                "i": 6 - n % 6,
                "m": words.MONTH_NAMES[n % 12],
                "y": 2015 - n // 6,
                "p": pages,
                "q": pages + 80,
            }
            self._write("<li>")
            self._link(href.format(**facts), shown.format(**facts))
            self._write("</li>")

    def _subjects(self) -> None:
        for name in words.SUBJECT_NAMES:
            self._write(self._draw.choice(("<br>", " ", "<li>")))
            self._link(f"/subject/{name.lower()}", f"{name} and {self._draw.choice(words.SUBJECT_NAMES).lower()}")

    def _social(self) -> None:
        for name in ("bird", "face", "tube"):
            shown = (f'<img src="/i/{name}.png">', f'<img src="/i/{name}.png" alt="{name}">', name)
            self._link(f"https://{name}.example/ourjournal", self._draw.choice(shown))

    def _letters(self) -> None:
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            self._link(f"/az/{letter.lower()}.html", letter)

    def _formats(self) -> None:
        """Write help about file formats: it has the words of article links, but all lead to one page."""
        self._link("/help/formats/", "How do I view the different file formats (PDF, DOC)")
        for name in ("PDF", "Word", "Excel", "Audio", "Video"):
            shown = self._draw.choice((f"{name} file", f'<img src="/i/{name}.gif" alt="{name} file">'))
            self._link(f"/help/formats/{self._draw.choice(('#', '?'))}{name.lower()}", shown)

    def _contents(self) -> None:
        draw, style = self._draw, self.style
        self._write(f"<div{self._class('content')}><h1>Volume {style.volume}, Issue {style.issue}</h1>")
        if _happens_by_chance(draw, 0.3):
            self._link(f"{style.base}{style.volume}-{style.issue}.pdf", draw.choice(words.WHOLE_ISSUE_TEXTS))
        page = draw.randint(1, 900)
        for _ in range(draw.choice((1, 1, 2, 4))):
            heading, level = draw.choice(words.SECTION_HEADINGS), draw.randint(2, 4)
            self._write(f"<h{level}>{heading}</h{level}>" if heading else "")
            self._write(f"<{style.list}>" if style.list else "")
            for _ in range(draw.randint(1, 10)):
                page += draw.randint(1, 20)
                self._article(page)
            self._write(f"</{style.list}>" if style.list else "")
        self._write("</div>")

    def _article(self, page: int) -> None:
        draw, style = self._draw, self.style
        title = self._title()
        people = [
            f"{draw.choice(words.GIVEN_NAMES)} {draw.choice(words.FAMILY_NAMES)}" for _ in range(draw.randint(1, 4))
        ]
        facts = {"v": style.volume, "i": style.issue, "p": page, "n": draw.randint(1000, 999999)}
        named = {"w": people[0].split()[1].lower(), "s": "_".join(title.lower().split()[:4]).strip(",:.")}
        about: Mapping[str, str | int] = {**facts, **named}
        self._write(
            f"<{style.unit}{self._class('item') if _happens_by_chance(draw, 0.5) else ''}>" if style.unit else "<br>"
        )
        if style.cited and _happens_by_chance(draw, 0.5):
            self._write(f"{page}-{page + 6} ")
        self._titled(title, self._absolute(words.ARTICLE_ADDRESSES[style.address][0].format(**about)), people)
        if style.cited:
            self._write(f"<i>{style.volume}</i>({style.issue}), {page}&ndash;{page + 6}")
        self._forms(about)
        self._beside(about)
        self._write(f"</{style.unit.partition('>')[0]}>\n" if style.unit else "<br>\n")

    def _title(self) -> str:
        draw, style = self._draw, self.style
        if _happens_by_chance(draw, 0.15):
            return draw.choice(words.SHORT_TITLES)
        study, topic, other = (
            draw.choice(words.STUDY_WORDS),
            draw.choice(words.TOPIC_WORDS),
            draw.choice(words.TOPIC_WORDS),
        )
        if style.title_words == 2:  # noqa: PLR2004  (two words)
            return draw.choice((f"{study} of {topic}", f"{topic.title()} {other}"))
        title = f"{study} of {topic} and {other} {draw.choice(words.STUDY_PLACES)}"
        if style.title_words > 10:  # noqa: PLR2004  (ten words)
            title += f": {draw.choice(words.STUDY_WORDS).lower()} of {other} {draw.choice(words.STUDY_PLACES)}"
        return title.upper() if style.volume % 12 == 0 else title

    def _titled(self, title: str, href: str, people: list[str]) -> None:
        """Write the title, the authors, and a second link to the article if the site has one."""
        kind = "pdf" if href.endswith(".pdf") else "fulltext" if "htm" in href and not self.style.forms else "abstract"
        if self.style.titled:
            self._link(href, f"<b>{title}</b>" if _happens_by_chance(self._draw, 0.2) else title, kind)
        else:
            self._write(f"<span>{title}</span>")
        for person in people if self.style.authors == "links" else ():
            self._link(f"/search?author={person.replace(' ', '+')}", person)
            self._write(", ")
        self._write(words.AUTHOR_MARKUP[self.style.authors].format(", ".join(people), people[0]))
        if self.style.again:
            self._link(href, self.style.again, kind)

    def _absolute(self, target: str) -> str:
        style = self.style
        if target.startswith("http"):
            return target
        return (
            f"https://{style.host}{style.base or '/'}{target}"
            if style.address in words.ABSOLUTE_ADDRESSES
            else style.base + target
        )

    def _forms(self, about: Mapping[str, str | int]) -> None:
        """Write the links to the formats of the article."""
        draw = self._draw
        for kind, text in self.style.forms:
            if kind == "supplement" and _happens_by_chance(draw, 0.5):
                continue
            form, ext = words.FORM_WORDS[kind], "pdf" if kind == "pdf" else "html"
            href = self._absolute(words.ARTICLE_ADDRESSES[self.style.address][1].format(form=form, ext=ext, **about))
            if self.style.elsewhere and kind in {"supplement", "pdf"}:
                href = f"https://files.{self.style.host[4:]}/get?{about['w']}{about['p']}{form}"
            icon = f'<img src="/img/{kind}.gif"{draw.choice(("", f""" alt="{text}" """))}>'
            self._link(href, icon if self.style.icons else text, kind)
            self._write(draw.choice((" | ", " ", "&nbsp;", "] [")))

    def _beside(self, about: Mapping[str, str | int]) -> None:
        """Write the other links of an article: actions, help, and its DOI."""
        for shown in self.style.actions:
            word = shown.split()[0].lower()
            hrefs = ("#", "javascript:void(0)", f"/action/{word}?id={about['n']}", f"/{word}/{about['n']}")
            self._link(self._draw.choice(hrefs), shown)
        if self.style.repeated:
            self._link(f"{self.style.base}help_formats.html", "Link to further formats of the tables and figures")
        if self.style.resolved:
            doi = f"10.55{self.style.volume:02}/{self.style.prefix}{about['n']}"
            shown = self._draw.choice((f"doi:{doi}", f"https://doi.org/{doi}", "DOI"))
            self._link(f"https://doi.org/{doi}", shown, "abstract")
