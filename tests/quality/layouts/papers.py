"""Papers in the layouts of journals, as their mastheads, bylines and histories differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.quality.layouts.contents import Author, Person
from tests.quality.layouts.sheet import BodyPart, PrintColumn, Sheet, body

_LEFT, _WIDTH, _TOP, _FOOT = 50.0, 495.0, 60.0, 780.0


def _doi(author: Author) -> str:
    prefix, number = author.random.randint(1000, 9999), author.random.randint(100, 9999)
    return f"10.{prefix}/{author.choice('gfw hyd oce jgr sed')}.{author.year}.{number}"


def _marked(people: Sequence[Person], joint: str, marks: str = "123456789") -> str:
    names = [f"{person.name}^{marks[place]}^" for place, person in enumerate(people)]
    return joint.join(names)


def _with_and(names: Sequence[str], comma: str = ",") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}{comma if len(names) > 2 else ''} and {names[-1]}"


def _offices(
    sheet: Sheet,
    people: Sequence[Person],
    left: float,
    width: float,
    marks: str = "123456789",
    style: str = "regular",
    align: str = "left",
) -> None:
    for place, person in enumerate(people):
        sheet.write(f"^{marks[place]}^{person.office}", left, width, 8.0, kind="affiliation", style=style, align=align)
    sheet.y += 10.0


def _truth(sheet: Sheet, author: Author, fewest: int = 1, most: int = 5, year: bool = True) -> list[Person]:
    people = author.people(fewest, most)
    sheet.truth.title, sheet.truth.authors = author.title(), [person.name for person in people]
    sheet.truth.year = author.year if year else None
    return people


def _running(sheet: Sheet, left: str, right: str, foot: str = "") -> None:
    def furniture(page: Sheet) -> None:
        page.text(_LEFT, 36.0, left if page.page % 2 else right, 8.0)
        page.text(page.width - 70.0, 36.0, str(page.page), 8.0)
        page.text(_LEFT, page.height - 24.0, foot, 7.0)

    sheet.furniture = furniture


def _columns(
    sheet: Sheet,
    author: Author,
    size: float = 9.0,
    count: int = 2,
    *,
    first: Sequence[PrintColumn] | None = None,
    numbered: bool = False,
) -> None:
    """The body from ``y`` on in two columns, with references."""
    gap = 18.0
    width = (_WIDTH - gap * (count - 1)) / count
    items = body(author, sheet, width, size, tables=author.random.randint(1, 3), numbered=numbered)
    items += [BodyPart("heading", "References"), *(BodyPart("reference", author.reference()) for _ in range(8))]
    lefts = [_LEFT + (width + gap) * place for place in range(count)]
    top = sheet.y + 4.0
    columns = first or [PrintColumn(left, top, width, _FOOT) for left in lefts]
    sheet.flow(items, columns, [PrintColumn(left, _TOP, width, _FOOT) for left in lefts], size)


def sidebar_letter(author: Author, sheet: Sheet) -> None:
    """A journal's name in large type, key points and the history in a sidebar."""
    people = _truth(sheet, author, 2)
    journal, doi, year = author.journal(), _doi(author), author.year
    _running(sheet, journal, f"{people[0].last.upper()} ET AL.", "©" + f"{year}. The Authors.")
    sheet.write(journal, _LEFT, _WIDTH, 20.0, kind="header", style="bold", font="sans", after=18.0)
    top = sheet.y
    sheet.write("RESEARCH LETTER", _LEFT, 130.0, 11.0, kind="label", style="bold", font="sans")
    sheet.write(doi, _LEFT, 130.0, 8.0, kind="doi", after=10.0)
    sheet.write("Key Points:", _LEFT, 130.0, 8.0, kind="sidebar", style="bold")
    for _ in range(3):
        sheet.write(f"• {author.sentence()}", _LEFT, 130.0, 8.0, kind="sidebar", after=3.0)
    sheet.write("Correspondence to:", _LEFT, 130.0, 8.0, kind="sidebar", style="bold")
    sheet.write(f"{people[0].name}, first@{'example'}.org", _LEFT, 130.0, 8.0, kind="sidebar", after=8.0)
    sheet.write("Citation:", _LEFT, 130.0, 8.0, kind="sidebar", style="bold")
    short = ", ".join(f"{person.last}, {person.first[0]}." for person in people)
    sheet.write(
        f"{short} ({year}), {sheet.truth.title}, {journal}, 42, 1-9, doi:{doi}.",
        _LEFT,
        130.0,
        8.0,
        kind="sidebar",
        after=8.0,
    )
    accepted = year if author.chance(0.5) else year - 1
    for label, day in (
        ("Received", author.day(year - 1)),
        ("Accepted", author.day(accepted)),
        ("Published online", author.day(year)),
    ):
        sheet.write(f"{label} {day.upper()}", _LEFT, 130.0, 8.0, kind="history")
    sheet.y, left, width = top, 195.0, 350.0
    sheet.write(sheet.truth.title, left, width, 16.0, kind="title", style="bold", font="sans", after=6.0)
    marked = [f"{person.name}^{place + 1}^" for place, person in enumerate(people)]
    sheet.write(_with_and(marked), left, width, 10.0, kind="author", style="bold", after=4.0)
    sheet.write(
        ", ".join(f"^{place + 1}^{person.office}" for place, person in enumerate(people)),
        left,
        width,
        8.0,
        kind="affiliation",
        after=10.0,
    )
    sheet.write(f"Abstract {author.paragraph(5, 6)}", left, width, 9.0, kind="abstract", after=14.0)
    sheet.write("1. Introduction", left, width, 10.0, kind="heading", style="bold", after=4.0)
    for _ in range(2):
        text = author.paragraph(4, 6)
        sheet.truth.paragraphs.append(text)
        sheet.write(text, left, width, 9.0, kind="text", after=6.0)
    sheet.turn_page()
    sheet.y = _TOP
    _columns(sheet, author, numbered=True)


def contents_lists(author: Author, sheet: Sheet) -> None:
    """A masthead with the journal's home page; history and keywords left of the abstract."""
    people = _truth(sheet, author)
    journal, year = author.journal(), author.year
    _running(
        sheet,
        f"{people[0].first[0]}. {people[0].last} et al.",
        f"{journal} {author.random.randint(100, 600)} ({year}) 12-25",
    )
    sheet.write(
        f"{journal} {author.random.randint(100, 600)} ({year}) 12–25",
        _LEFT,
        _WIDTH,
        8.0,
        kind="header",
        align="center",
        after=10.0,
    )
    sheet.fill(_LEFT + 80.0, sheet.y - 10.0, _LEFT + _WIDTH - 80.0, sheet.y + 50.0, 0.93)
    sheet.write(
        "Contents lists available at SciencePortal", _LEFT, _WIDTH, 8.5, kind="header", align="center", after=8.0
    )
    sheet.write(journal, _LEFT, _WIDTH, author.random.choice((14.0, 17.0)), kind="header", align="center", after=8.0)
    sheet.write(
        "journal homepage: www.example.org/locate/journal",
        _LEFT,
        _WIDTH,
        8.0,
        kind="header",
        align="center",
        after=22.0,
    )
    if author.chance(0.5):
        sheet.write(
            author.choice("Research papers|Review|Original article|Short communication"),
            _LEFT,
            _WIDTH,
            8.5,
            kind="label",
            after=6.0,
        )
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 13.5, kind="title", after=8.0)
    marks = "abcdefghi"
    marked = [f"{person.name}^{marks[place]}^" for place, person in enumerate(people)]
    sheet.write(", ".join(marked), _LEFT, _WIDTH, 10.5, kind="author", after=4.0)
    _offices(sheet, people, _LEFT, _WIDTH, marks, "italic")
    sheet.rule(_LEFT, sheet.y - 8.0, _LEFT + _WIDTH, sheet.y - 8.0)
    top = sheet.y + 6.0
    sheet.y = top
    sheet.write("A R T I C L E  I N F O", _LEFT, 140.0, 8.5, kind="label", after=8.0)
    history = [
        "Article history:",
        f"Received {author.day(year - 1)}",
        f"Received in revised form {author.day(year - 1)}",
    ]
    history += [f"Accepted {author.day(year - author.random.randint(0, 1))}", f"Available online {author.day(year)}"]
    for line in history:
        sheet.write(line, _LEFT, 140.0, 7.5, kind="history", style="italic" if line.endswith(":") else "regular")
    sheet.y += 6.0
    sheet.write("Keywords:", _LEFT, 140.0, 7.5, kind="keywords", style="italic")
    for word in ("Runoff", "Water budget", "Monitoring"):
        sheet.write(word, _LEFT, 140.0, 7.5, kind="keywords")
    foot, sheet.y = sheet.y, top
    sheet.write("A B S T R A C T", _LEFT + 165.0, 330.0, 8.5, kind="label", after=8.0)
    sheet.write(author.paragraph(5, 8), _LEFT + 165.0, 330.0, 8.0, kind="abstract")
    sheet.y = max(foot, sheet.y) + 12.0
    sheet.rule(_LEFT, sheet.y - 10.0, _LEFT + _WIDTH, sheet.y - 10.0)
    sheet.text(_LEFT, 800.0, f"https://doi.org/{_doi(author)}", 7.0)
    sheet.text(_LEFT, 809.0, f"Received {author.day(year - 1)}; Accepted {author.day(year)}", 7.0)
    _columns(sheet, author, numbered=True)


def alternating(author: Author, sheet: Sheet) -> None:
    """Each author above the office; the manuscript's history in brackets."""
    people = _truth(sheet, author, 2)
    journal, year = author.journal().upper(), author.year
    _running(sheet, journal, f"{people[0].last.upper()} ET AL.")
    sheet.text(_LEFT, 40.0, f"{author.month().upper()} {year}", 8.0)
    sheet.text(240.0, 40.0, f"{people[0].last.upper()}  ET  AL.", 8.0)
    sheet.y = 80.0
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 14.0, kind="title", style="bold", align="center", after=12.0)
    groups = [people[:2], *([person] for person in people[2:])] if author.chance(0.5) else [[p] for p in people]
    in_capitals = author.chance(0.7)
    for group in groups:
        names = _with_and([person.name for person in group])
        sheet.write(
            names.upper() if in_capitals else names, _LEFT, _WIDTH, 9.5, kind="author", align="center", after=2.0
        )
        sheet.write(group[0].office, _LEFT, _WIDTH, 8.5, kind="affiliation", style="italic", align="center", after=6.0)
    sheet.write(
        f"(Manuscript received {author.day(year - 1)}, in final form {author.day(year)})",
        _LEFT,
        _WIDTH,
        8.0,
        kind="history",
        align="center",
        after=12.0,
    )
    sheet.write("ABSTRACT", _LEFT, _WIDTH, 9.0, kind="heading", align="center", after=4.0)
    sheet.write(author.paragraph(5, 7), _LEFT + 30.0, _WIDTH - 60.0, 9.0, kind="abstract", after=14.0)
    _columns(sheet, author)


def open_access(author: Author, sheet: Sheet) -> None:
    """The citation in the upper left corner, the journal's logo right, the history in one line with dashes."""
    people = _truth(sheet, author)
    journal, year, doi = author.journal(), author.year, _doi(author)
    _running(
        sheet,
        f"{people[0].first[0]}. {people[0].last} et al.: {' '.join(sheet.truth.title.split()[:4])}",
        f"{journal}, 21, 345–367, {year}",
    )
    sheet.y = 44.0
    sheet.write(f"{journal}, 21, 345–367, {year}", _LEFT, 300.0, 7.5, kind="header")
    sheet.write(f"https://doi.org/{doi}", _LEFT, 300.0, 7.5, kind="doi")
    sheet.write(f"© Author(s) {year}. This work is distributed under", _LEFT, 300.0, 7.5, kind="header")
    sheet.write("the Creative Commons Attribution 4.0 License.", _LEFT, 300.0, 7.5, kind="header")
    sheet.y = 56.0
    sheet.write(journal, 380.0, 165.0, 15.0, kind="header", style="bold", font="sans", align="right")
    sheet.y = 150.0
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 17.0, kind="title", style="bold", after=12.0)
    marked = [f"{person.name}^{place + 1}^" for place, person in enumerate(people)]
    sheet.write(_with_and(marked, ","), _LEFT, _WIDTH, 11.0, kind="author", style="bold", after=4.0)
    _offices(sheet, people, _LEFT, _WIDTH)
    sheet.write(
        f"Correspondence to: {people[0].name} (first@example.org)",
        _LEFT,
        _WIDTH,
        8.5,
        kind="correspondence",
        style="bold",
        after=8.0,
    )
    received, accepted = author.day(year - 1), author.day(year if author.chance(0.5) else year - 1)
    if author.chance(0.5):
        sheet.write(
            f"Received: {received} – Discussion started: {author.day(year - 1)}", _LEFT, _WIDTH, 8.5, kind="history"
        )
        sheet.write(
            f"Revised: {author.day(year - 1)} – Accepted: {accepted} – Published: {author.day(year)}",
            _LEFT,
            _WIDTH,
            8.5,
            kind="history",
            after=10.0,
        )
    else:
        sheet.write(
            f"Received: {received} – Accepted: {accepted} – Published: {author.day(year)}",
            _LEFT,
            _WIDTH,
            8.5,
            kind="history",
            after=10.0,
        )
    sheet.write(f"Abstract. {author.paragraph(5, 8)}", _LEFT, _WIDTH, 9.0, kind="abstract", after=12.0)
    _columns(sheet, author, numbered=True)


def dotted_names(author: Author, sheet: Sheet) -> None:
    """Journal and DOI in small print, names between dots, offices at the foot of the first column."""
    people = _truth(sheet, author, 2)
    journal, year = author.journal(), author.year
    _running(sheet, f"{journal} ({year}) 81:123–145", f"{journal} ({year}) 81:123–145")
    sheet.y = 40.0
    sheet.write(f"{journal} ({year}) 81:123–145", _LEFT, _WIDTH, 8.0, kind="header", font="sans")
    sheet.write(f"DOI {_doi(author)}", _LEFT, _WIDTH, 8.0, kind="doi", font="sans", after=14.0)
    sheet.fill(_LEFT, sheet.y - 10.0, _LEFT + _WIDTH, sheet.y + 5.0)
    sheet.write("ORIGINAL PAPER", _LEFT + 4.0, 200.0, 9.0, kind="label", font="sans", after=24.0)
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 16.0, kind="title", style="bold", font="sans", after=10.0)
    sheet.write(_marked(people, " · "), _LEFT, _WIDTH, 10.5, kind="author", style="bold", after=20.0)
    sheet.write(
        f"Received: {author.day(year - 1)} / Accepted: {author.day(year)} / Published online: {author.day(year)}",
        _LEFT,
        _WIDTH,
        8.0,
        kind="history",
    )
    sheet.write(f"© Earth Press {year}", _LEFT, _WIDTH, 8.0, kind="header", after=16.0)
    sheet.write(f"Abstract {author.paragraph(5, 7)}", _LEFT, _WIDTH, 9.0, kind="abstract", after=8.0)
    sheet.write("Keywords Runoff · Water budget · Monitoring", _LEFT, _WIDTH, 9.0, kind="keywords", after=14.0)
    top, column = sheet.y, (_WIDTH - 18.0) / 2.0
    sheet.y = 740.0
    sheet.rule(_LEFT, 728.0, _LEFT + 100.0, 728.0)
    for person in people[:2]:
        sheet.write(f"{person.name} ({person.last.lower()}@example.org)", _LEFT, column, 7.0, kind="footnote")
        sheet.write(person.office, _LEFT, column, 7.0, kind="affiliation")
    sheet.y = top
    _columns(
        sheet,
        author,
        first=[PrintColumn(_LEFT, top, column, 712.0), PrintColumn(_LEFT + column + 18.0, top, column, _FOOT)],
        numbered=True,
    )


def barred_names(author: Author, sheet: Sheet) -> None:
    """History and DOI before the title, names between bars, offices left of the abstract."""
    people = _truth(sheet, author, 2)
    journal, year = author.journal(), author.year
    _running(sheet, f"{people[0].last.upper()} et al.", journal)
    sheet.y = 44.0
    sheet.write(
        f"Received: {author.day(year - 1)}   Revised: {author.day(year - 1)}   Accepted: {author.day(year)}",
        _LEFT,
        _WIDTH,
        7.5,
        kind="history",
        font="sans",
    )
    sheet.write(f"DOI: {_doi(author)}", _LEFT, _WIDTH, 7.5, kind="doi", font="sans", after=26.0)
    sheet.fill(_LEFT, sheet.y - 12.0, _LEFT + 130.0, sheet.y + 5.0)
    sheet.write(
        author.choice("RESEARCH ARTICLE|TECHNICAL NOTE|DATA PAPER"),
        _LEFT + 4.0,
        200.0,
        9.0,
        kind="label",
        style="bold",
        font="sans",
        after=20.0,
    )
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 18.0, kind="title", style="bold", font="sans", after=10.0)
    sheet.write(_marked(people, " | "), _LEFT, _WIDTH, 10.5, kind="author", style="bold", font="sans", after=20.0)
    top = sheet.y
    _offices(sheet, people, _LEFT, 140.0)
    sheet.write("Correspondence", _LEFT, 140.0, 7.5, kind="correspondence", style="bold", font="sans")
    sheet.write(f"{people[0].name}, first@example.org", _LEFT, 140.0, 7.5, kind="correspondence", font="sans")
    foot, sheet.y = sheet.y, top
    sheet.write("Abstract", 215.0, 330.0, 10.0, kind="heading", style="bold", font="sans")
    sheet.write(author.paragraph(5, 8), 215.0, 330.0, 8.5, kind="abstract", after=8.0)
    sheet.write("K E Y W O R D S", 215.0, 330.0, 8.0, kind="label")
    sheet.write("runoff, water budget, monitoring", 215.0, 330.0, 8.0, kind="keywords")
    sheet.y = max(sheet.y, foot) + 14.0
    _columns(sheet, author, numbered=True)


def society(author: Author, sheet: Sheet) -> None:
    """Volume, number and pages in capitals at the top; "Anna Petrov, Bilal Jansen, and Carla Xiang"."""
    people = _truth(sheet, author, 2)
    year, journal = author.year, author.journal().upper()
    _running(sheet, f"{people[0].last} et al.", author.title()[:40])
    sheet.y = 40.0
    sheet.write(
        f"{journal}, VOL. {author.random.randint(30, 90)}, NO. {author.random.randint(1, 6)} "
        f"({author.month().upper()} {year}); P. L1–L12, 9 FIGS.",
        _LEFT,
        _WIDTH,
        8.0,
        kind="header",
        after=40.0,
    )
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 18.0, kind="title", style="bold", align="center", after=20.0)
    sheet.write(
        _with_and([f"{person.name}^{place + 1}^" for place, person in enumerate(people)]),
        _LEFT,
        _WIDTH,
        11.0,
        kind="author",
        align="center",
        after=24.0,
    )
    sheet.write("ABSTRACT", _LEFT, _WIDTH, 10.0, kind="heading", style="bold", align="center", after=8.0)
    sheet.write(author.paragraph(5, 8), _LEFT + 60.0, _WIDTH - 120.0, 9.0, kind="abstract", after=16.0)
    top, column = sheet.y, (_WIDTH - 18.0) / 2.0
    sheet.y = 735.0
    sheet.write(
        f"Manuscript received by the Editor {author.day(year - 1)}; revised manuscript received "
        f"{author.day(year)}; published online {author.day(year)}.",
        _LEFT,
        _WIDTH,
        7.0,
        kind="history",
    )
    for place, person in enumerate(people):
        sheet.write(f"^{place + 1}^{person.office}", _LEFT, _WIDTH, 7.0, kind="affiliation")
    sheet.y = top
    _columns(
        sheet, author, first=[PrintColumn(_LEFT + (column + 18.0) * place, top, column, 715.0) for place in range(2)]
    )


def proceedings(author: Author, sheet: Sheet) -> None:
    """Names side by side, each above the office; no date but the conference's."""
    people = _truth(sheet, author, 2, 3)
    sheet.y = 44.0
    sheet.write(
        f"Proceedings of the Workshop on Earth Data, {author.choice('Harrow Lindau Orsay')}, "
        f"{author.random.randint(2, 12)}–15 {author.month()} {author.year}",
        _LEFT,
        _WIDTH,
        8.0,
        kind="header",
        align="center",
        after=24.0,
    )
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 20.0, kind="title", align="center", after=14.0)
    width = _WIDTH / len(people)
    top = sheet.y
    for place, person in enumerate(people):
        sheet.y = top
        sheet.write(person.name, _LEFT + place * width, width - 10.0, 11.0, kind="author", align="center")
        sheet.write(
            person.office, _LEFT + place * width, width - 10.0, 9.0, kind="affiliation", style="italic", align="center"
        )
        sheet.write(
            f"{person.last.lower().replace(' ', '')}@example.org",
            _LEFT + place * width,
            width - 10.0,
            9.0,
            kind="affiliation",
            align="center",
        )
    sheet.y = top + 70.0
    sheet.write(f"Abstract—{author.paragraph(4, 6)}", _LEFT, (_WIDTH - 18.0) / 2.0, 9.0, kind="abstract", style="bold")
    _columns(
        sheet,
        author,
        first=[PrintColumn(_LEFT, sheet.y + 10.0, 238.0, _FOOT), PrintColumn(_LEFT + 257.0, top + 58.0, 238.0, _FOOT)],
        numbered=True,
    )


PAPERS: tuple[Callable[[Author, Sheet], None], ...] = (
    sidebar_letter,
    contents_lists,
    alternating,
    open_access,
    dotted_names,
    barred_names,
    society,
    proceedings,
)
