"""Pages of an invented journal, as two of its issues print them."""

from medharvest.records import Page

PEOPLE = ("Ada B. Lowtide", "Carl Spring", "Dora Neap-Ebbing")
PLACES = ("Institute of Tides, Port Ebb, Wales", "Clinic for Night Workers, Saltmere, England")
WORDS = "waves reached the harbour wall at night and the workers slept less than on other nights of that month".split()


def title(n: int) -> str:
    return f"Spring tides and sleep in ward {n}"


def abstract(n: int) -> str:
    return " ".join([*WORDS[n:], *WORDS[:n], "Nobody fell ill."])


def known(n: int) -> dict[str, tuple[str, ...]]:
    return {"title": (title(n),), "author": PEOPLE, "affiliation": PLACES, "abstract": (abstract(n),)}


def row(n: int) -> dict[str, object]:
    """A line of truth."""
    given = ("Ada B.", "Carl", "Dora")
    family = ("Lowtide", "Spring", "Neap-Ebbing")
    authors = [{"given": one, "family": two} for one, two in zip(given, family, strict=True)]
    return {"id": str(n), "title": title(n), "authors": authors, "affiliations": list(PLACES), "abstract": abstract(n)}


def html(n: int, *, box: str = "z") -> str:
    """A page whose classes alone say what is what."""
    people = "".join(f"<li class='{box}-who{' last' if one == PEOPLE[-1] else ''}'>{one}</li>" for one in PEOPLE)
    places = "".join(f"<div class={box}-where id=w{i}><sup>{i}</sup><p>{one}</p></div>" for i, one in enumerate(PLACES))
    return (
        f"<html><head><title>Tides</title></head><body><nav><p>Home<p>Help</nav><main>"
        f"<h2 class={box}-t>{title(n)}</h2><ul>{people}</ul>{places}<div class={box}-a><h4>In short</h4>"
        f"<p>Read now: {abstract(n)}</p></div><div class={box}-b><h4>Beginnings</h4>"
        f"<p>Tides come and go in ward {n}, as everybody knows.</p></div></main></body></html>"
    )


def page(n: int, *, box: str = "z") -> Page:
    return Page(url="", text=html(n, box=box), digest=f"d{n}{box}", encoding="utf-8")
