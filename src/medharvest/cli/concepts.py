"""`medharvest concepts`: the weighted concept set of a topic, or the concepts that a text names."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, cache_folder, load_cli_settings, make_announcer
from medharvest.codec import format_json
from medharvest.settings import Settings
from medharvest.topics import PROFILES, ConceptSet, FoundConcept, build_concept_set, concept_lines, near_names
from medharvest.vocabularies import Vocabulary
from medharvest.vocabularies.selection import VOCABULARY_NAMES, open_vocabulary

VOCABULARY_OPTION = click.option(
    "--vocabulary",
    metavar="V",
    help=f"{', '.join(VOCABULARY_NAMES)}, or a file or folder; default: embedded.",
)
PROFILE_OPTION = click.option(
    "--profile", type=click.Choice(list(PROFILES)), help="Weights, and which related concepts count."
)


@click.command("concepts", short_help="Show the terms that a medical topic stands for.")
@click.argument("words", metavar="NAME", nargs=-1)
@VOCABULARY_OPTION
@PROFILE_OPTION
@click.option("--concept", default="", metavar="ID", help="Concept that is meant, if the name has several.")
@click.option("--text", "texts", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="List the concepts of a text or article page instead.")  # fmt: skip
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Number of concepts that --text lists."
)
@click.option("--about", is_flag=True, help="Show version and source of the vocabulary.")
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    words: tuple[str, ...],
    vocabulary: str | None,
    profile: str | None,
    concept: str,
    texts: tuple[Path, ...],
    limit: int,
    about: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show the terms of a medical topic: category, weight, term and reason.

    The output is a file that you can edit and pass to `topic --concepts FILE`. With --text, show the concepts that a
    text, or the title and abstract of an article, names; the highest score first.
    """
    if not words and not texts and not about:
        raise click.UsageError("name a topic, or give --text or --about")
    settings = load_cli_settings(topics__vocabulary=vocabulary, topics__profile=profile)
    with open_vocabulary(settings, cache=cache_folder(), announce=make_announcer(quiet=quiet)) as opened:
        if about:
            click.echo(f"{opened.version()}\n{opened.attribution()}".rstrip())
        if words:
            _show_concept_set(" ".join(words), opened, settings, concept=concept, as_json=as_json, quiet=quiet)
        for path in texts:
            _show_text_concepts(path, opened, settings, limit=limit, as_json=as_json)


def _show_concept_set(
    topic: str, vocabulary: Vocabulary, settings: Settings, *, concept: str, as_json: bool, quiet: bool
) -> None:
    concepts = build_concept_set(topic, vocabulary, profile=settings.topics.profile, concept=concept)
    if not quiet:
        _print_concept_notices(concepts, vocabulary)
    if not as_json:
        click.echo("\n".join(concept_lines(concepts)))
        return
    for term in concepts.terms:
        row = {"topic": topic, "category": term.category, "weight": term.weight, "term": term.text}
        click.echo(format_json(row | {"concept": term.concept, "why": term.why}))


def _print_concept_notices(concepts: ConceptSet, vocabulary: Vocabulary) -> None:
    if concepts.others:
        click.echo(
            f"taken as {concepts.concept} {concepts.preferred}; other concepts of that name, for --concept:", err=True
        )
        for other in concepts.others:
            click.echo(f"  {other}", err=True)
    elif not concepts.concept and vocabulary.name != "none":
        near = ", ".join(near_names(concepts.topic, vocabulary))
        meant = f"; did you mean: {near}" if near else ""
        click.echo(f"not in the vocabulary, only its own words count: {concepts.topic}{meant}", err=True)


def _show_text_concepts(path: Path, vocabulary: Vocabulary, settings: Settings, *, limit: int, as_json: bool) -> None:
    from medharvest.harvest.page_topics import find_file_concepts

    for found in find_file_concepts(path, vocabulary, settings=settings.read, limit=limit):
        _print_found_concept(found, path, as_json=as_json)


def _print_found_concept(found: FoundConcept, path: Path, *, as_json: bool) -> None:
    concept = found.concept
    if not as_json:
        click.echo(f"{found.score:6.2f}  {concept.id:16} {concept.preferred}  ({', '.join(found.names)})")
        return
    row = {"file": str(path), "id": concept.id, "preferred": concept.preferred, "score": found.score}
    click.echo(format_json(row | {"count": found.count, "names": list(found.names)}))
