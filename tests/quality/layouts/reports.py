"""Reports of surveys and agencies, a thesis, a manual and a fact sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.quality.layouts.contents import Author, Person
from tests.quality.layouts.sheet import BodyPart, PrintColumn, Sheet, body, table

_LEFT, _WIDTH = 70.0, 455.0
_PAGE = (PrintColumn(_LEFT, 80.0, _WIDTH, 770.0),)


def set_truth(
    sheet: Sheet, author: Author, people: Sequence[Person] = (), *, title: str = "", year: bool = True
) -> None:
    sheet.truth.title = title or author.title()
    sheet.truth.authors = [person.name for person in people]
    sheet.truth.year = author.year if year else None


def _contents(sheet: Sheet, author: Author, heading: str = "Contents") -> None:
    """Entries with dots or white space before the page number; then a list of tables."""
    sheet.turn_page()
    sheet.y = 90.0
    dots = author.chance(0.5)
    for name in (heading, "Tables"):
        sheet.write(name, _LEFT, _WIDTH, 14.0, kind="heading", style="bold", after=8.0)
        for number in range(1, author.random.randint(6, 14)):
            text = f"{number} {author.heading()}" if name == heading else f"Table {number} {author.heading()}"
            end = sheet.text(_LEFT, sheet.y, text, 10.0)
            if dots:
                count = int((_LEFT + _WIDTH - 30.0 - end) / sheet.length(".", 10.0))
                sheet.text(end + 4.0, sheet.y, "." * count, 10.0)
            sheet.text(_LEFT + _WIDTH - 16.0, sheet.y, str(number * 3), 10.0)
            sheet.note("contents", text, _LEFT, sheet.y - 10.0, _LEFT + _WIDTH, sheet.y + 3.0)
            sheet.y += 15.0
        sheet.y += 16.0


def _chapters(sheet: Sheet, author: Author, size: float = 10.0, tables: int = 4, label: str = "Table {}. {}") -> None:
    sheet.turn_page()
    items = body(author, sheet, _WIDTH, size, tables=tables, label=label, numbered=author.chance(0.5))
    items += [BodyPart("heading", "References"), *(BodyPart("reference", author.reference()) for _ in range(6))]
    sheet.flow(items, _PAGE, _PAGE, size)


def _heads(sheet: Sheet, text: str) -> None:
    def furniture(page: Sheet) -> None:
        page.text(_LEFT, 44.0, text, 8.0)
        page.text(_LEFT + _WIDTH, page.height - 30.0, str(page.page), 8.0)

    sheet.furniture = furniture


def survey_report(author: Author, sheet: Sheet) -> None:
    """A cover with a banner and series; a title page that repeats the title and names the authors."""
    people = author.people(1, 5)
    set_truth(sheet, author, people)
    _heads(sheet, sheet.truth.title)
    sheet.fill(0.0, 0.0, sheet.width, 70.0, 0.3)
    sheet.text(_LEFT, 44.0, "Survey of Earth and Water", 16.0, "bold", white=True)
    series = f"Open-File Report {author.year}–{author.random.randint(1000, 1300)}"
    if author.chance(0.5):
        sheet.y = 100.0
        sheet.write(
            "Prepared in cooperation with the Harrow Water Board", _LEFT, _WIDTH, 11.0, kind="label", style="bold"
        )
    sheet.y = 150.0
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 24.0, kind="title", style="bold", after=40.0)
    sheet.fill(_LEFT, 300.0, _LEFT + _WIDTH, 600.0, 0.7)
    sheet.y = 660.0
    sheet.write(series, _LEFT, _WIDTH, 14.0, kind="series", style="bold", after=20.0)
    sheet.write("Department of the Interior", _LEFT, _WIDTH, 10.0, kind="office", style="bold")
    sheet.write("Survey of Earth and Water", _LEFT, _WIDTH, 10.0, kind="office", style="bold")
    sheet.turn_page()
    sheet.y = 120.0
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 20.0, kind="title", style="bold", after=20.0)
    names = [person.name for person in people]
    sheet.write(
        f"By {', '.join(names[:-1]) + (', and ' if len(names) > 2 else ' and ') if len(names) > 1 else ''}{names[-1]}",
        _LEFT,
        _WIDTH,
        12.0,
        kind="author",
        after=60.0,
    )
    sheet.write(series, _LEFT, _WIDTH, 12.0, kind="series", after=30.0)
    sheet.write("Department of the Interior", _LEFT, _WIDTH, 10.0, kind="office", style="bold")
    sheet.write("Survey of Earth and Water", _LEFT, _WIDTH, 10.0, kind="office", style="bold", after=12.0)
    sheet.write(f"Survey of Earth and Water, Harrow, Virginia: {author.year}", _LEFT, _WIDTH, 9.0, kind="imprint")
    _contents(sheet, author)
    _chapters(sheet, author)


def memorandum(author: Author, sheet: Sheet) -> None:
    """A series' number first, the title in capitals, names, the office, place and month."""
    people = author.people(1, 4)
    set_truth(sheet, author, people)
    _heads(sheet, "TECHNICAL MEMORANDUM")
    sheet.y = 80.0
    sheet.write(
        f"SHELF Technical Memorandum OAR-{author.random.randint(10, 99)}",
        _LEFT,
        _WIDTH,
        13.0,
        kind="series",
        style="bold",
        after=60.0,
    )
    sheet.write(sheet.truth.title.upper(), _LEFT, _WIDTH, 18.0, kind="title", style="bold", after=60.0)
    for person in people:
        sheet.write(person.name, _LEFT, _WIDTH, 12.0, kind="author", after=4.0)
    sheet.y += 60.0
    sheet.write(people[0].office, _LEFT, _WIDTH, 11.0, kind="affiliation")
    sheet.write("Harrow, Maryland", _LEFT, _WIDTH, 11.0, kind="imprint")
    sheet.write(f"{author.month()} {author.year}", _LEFT, _WIDTH, 11.0, kind="date", after=60.0)
    sheet.write("UNITED ISLANDS DEPARTMENT OF COMMERCE", _LEFT, 200.0, 8.0, kind="office", style="bold")
    sheet.write("Oceanic and Atmospheric Agency", _LEFT, 200.0, 8.0, kind="office")
    _contents(sheet, author, "TABLE OF CONTENTS")
    _chapters(sheet, author)


def agency_series(author: Author, sheet: Sheet) -> None:
    """No authors; a number of the series, an imprint with copyright on the second page."""
    set_truth(sheet, author)
    series = (
        f"Report No {author.random.randint(1, 30)}/{author.year}"
        if author.chance(0.5)
        else f"WEA-No. {author.random.randint(900, 1300)}"
    )
    _heads(sheet, sheet.truth.title)
    sheet.fill(0.0, 0.0, sheet.width, 120.0, 0.4)
    sheet.text(_LEFT, 60.0, series, 12.0, white=True)
    sheet.y = 180.0
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 26.0, kind="title", style="bold", font="sans", after=12.0)
    if author.chance(0.4):
        sheet.write(f"{author.heading()} and indicators", _LEFT, _WIDTH, 14.0, kind="subtitle", font="sans")
    sheet.y = 760.0
    sheet.write("ISSN 1977-1111", _LEFT, _WIDTH, 9.0, kind="imprint")
    sheet.y = 730.0
    sheet.write(
        "European Weather and Environment Agency", 300.0, 225.0, 12.0, kind="office", style="bold", align="right"
    )
    sheet.turn_page()
    sheet.y = 500.0
    for line in (
        f"© European Weather and Environment Agency, {author.year}",
        "Reproduction is authorised provided the source is acknowledged.",
        f"Luxembourg: Publications Office, {author.year}",
        "ISBN 978-92-9213-111-1",
    ):
        sheet.write(line, _LEFT, _WIDTH, 9.0, kind="imprint", after=4.0)
    _contents(sheet, author)
    _chapters(sheet, author, label="Table {}: {}")


def german_agency(author: Author, sheet: Sheet) -> None:
    """Series and number, "von" before the names, place and month at the foot; "Tabelle 1:"."""
    people = author.people(1, 4)
    topic = author.choice("Niedrigwasser|Grundwasserstand|Starkregen|Bodenfeuchte|Nitratbelastung|Waldbrandgefahr")
    place = author.choice("im Rheingebiet|in Sachsen|an der Nordsee|im Alpenraum|in der Lausitz")
    title = author.choice(
        (
            f"Auswertung der Messreihen: {topic} {place}",
            f"{topic} {place} – Entwicklung und Ausblick",
            f"Bericht zur Lage: {topic} {place}",
        )
    )
    set_truth(sheet, author, people, title=title)
    _heads(sheet, f"TEXTE {title}")
    month = author.choice("Januar März Mai Juni Juli Oktober Dezember")
    sheet.y = 60.0
    sheet.write(
        f"TEXTE | {author.random.randint(10, 99)}/{author.year}",
        _LEFT,
        _WIDTH,
        14.0,
        kind="series",
        style="bold",
        font="sans",
        after=70.0,
    )
    sheet.write(title, _LEFT, _WIDTH, 24.0, kind="title", style="bold", font="sans", after=14.0)
    sheet.write("Abschlussbericht", _LEFT, _WIDTH, 14.0, kind="label", font="sans", after=40.0)
    sheet.write("von", _LEFT, _WIDTH, 11.0, kind="label", font="sans", after=4.0)
    if author.chance(0.5):
        sheet.write(", ".join(person.name for person in people), _LEFT, _WIDTH, 11.0, kind="author", font="sans")
        sheet.write("Institut für Gewässerkunde, Lindau", _LEFT, _WIDTH, 11.0, kind="affiliation", font="sans")
    else:
        for person in people:
            sheet.write(person.name, _LEFT, _WIDTH, 11.0, kind="author", font="sans")
            sheet.write(
                "Institut für Gewässerkunde, Lindau", _LEFT, _WIDTH, 11.0, kind="affiliation", font="sans", after=4.0
            )
    sheet.y = 740.0
    sheet.write("Herausgeber: Amt für Umwelt", _LEFT, _WIDTH, 10.0, kind="imprint", font="sans")
    sheet.write(f"Lindau, {month} {author.year}", _LEFT, _WIDTH, 10.0, kind="date", font="sans")
    _contents(sheet, author, "Inhaltsverzeichnis")
    _chapters(sheet, author, label="Tabelle {}: {}")


def french_agency(author: Author, sheet: Sheet) -> None:
    """The title in a box, number and month below it, initials before the names; "Tableau 1"."""
    people = [Person(f"{person.first[0]}.", person.last, person.office) for person in author.people(1, 4)]
    topic = author.choice("Suivi des eaux souterraines|Érosion du littoral|Cartographie des sols|Sismicité régionale")
    place = author.choice("du bassin de la Loire|de la côte aquitaine|en Bretagne|dans les Alpes du Nord")
    title = f"{topic} {place}"
    set_truth(sheet, author, people, title=title)
    _heads(sheet, title)
    sheet.rule(_LEFT, 120.0, _LEFT + _WIDTH, 120.0, 2.0)
    sheet.rule(_LEFT, 260.0, _LEFT + _WIDTH, 260.0, 2.0)
    sheet.text(_LEFT + 160.0, 60.0, "Document public", 10.0)
    sheet.y = 150.0
    sheet.write(title, _LEFT + 20.0, _WIDTH - 40.0, 22.0, kind="title", style="bold", align="center", after=12.0)
    sheet.write("Rapport final", _LEFT, _WIDTH, 14.0, kind="label", align="center")
    sheet.y = 290.0
    sheet.write(
        f"RGM/RP-{author.random.randint(50000, 70000)}-FR",
        _LEFT,
        _WIDTH,
        13.0,
        kind="series",
        style="bold",
        align="center",
    )
    month = author.choice("janvier mars avril juin septembre octobre décembre")
    sheet.write(
        f"{month.capitalize() if author.chance(0.5) else month} {author.year}",
        _LEFT,
        _WIDTH,
        12.0,
        kind="date",
        align="center",
        after=40.0,
    )
    joined = ", ".join(person.name for person in people[:-1])
    sheet.write(
        f"{joined + ' et ' if joined else ''}{people[-1].name}", _LEFT, _WIDTH, 12.0, kind="author", align="center"
    )
    _contents(sheet, author, "Sommaire")
    _chapters(sheet, author, label="Tableau {} – {}")


def manuscript(author: Author, sheet: Sheet) -> None:
    """One wide column, lines far apart and numbered, tables behind the text."""
    people = author.people()
    set_truth(sheet, author, people, year=False)
    sheet.write(sheet.truth.title, 80.0, 440.0, 12.0, kind="title", style="bold", leading=2.0, after=8.0)
    sheet.write(
        ", ".join(f"{person.name}^{place + 1}^" for place, person in enumerate(people)),
        80.0,
        440.0,
        12.0,
        kind="author",
        leading=2.0,
        after=4.0,
    )
    for place, person in enumerate(people):
        sheet.write(f"^{place + 1}^{person.office}", 80.0, 440.0, 12.0, kind="affiliation", leading=1.6)
    sheet.write(
        "Corresponding author: first@example.org", 80.0, 440.0, 12.0, kind="correspondence", leading=2.0, after=6.0
    )
    number = 0
    for section in ("Abstract", "1. Introduction", "2. Data and methods", "3. Results"):
        sheet.write(section, 80.0, 440.0, 12.0, kind="heading", style="bold", leading=2.0)
        for _ in range(2):
            text = author.paragraph(3, 5)
            sheet.truth.paragraphs.append(text)
            for line in sheet.lines(text, 440.0, 12.0):
                if sheet.y > 770.0:
                    sheet.turn_page()
                    sheet.y = 72.0
                number += 1
                sheet.text(52.0, sheet.y, str(number), 8.0)
                sheet.write(line, 80.0, 440.0, 12.0, kind="text", leading=2.0)
    sheet.turn_page()
    items = [item for item in body(author, sheet, 440.0, 11.0, tables=3) if item.kind in ("table", "chart")]
    sheet.flow(items, [PrintColumn(80.0, 60.0, 440.0, 770.0)], [PrintColumn(80.0, 60.0, 440.0, 770.0)], 11.0)


def thesis(author: Author, sheet: Sheet) -> None:
    """University first, then the title, "by", the degree and the year."""
    people = author.people(1, 1)
    set_truth(sheet, author, people)
    _heads(sheet, "")
    sheet.y = 90.0
    town = author.choice("Harrow Lindau Marlow Orsay Tartu Bergen")
    sheet.write(
        f"University of {town}",
        _LEFT,
        _WIDTH,
        author.random.choice((13.0, 16.0)),
        kind="office",
        align="center",
        style="bold",
    )
    sheet.write("Faculty of Earth Sciences", _LEFT, _WIDTH, 12.0, kind="office", align="center", after=90.0)
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 20.0, kind="title", style="bold", align="center", after=60.0)
    sheet.write(
        author.choice(("A thesis submitted for the degree of Master of Science", "Dissertation")),
        _LEFT,
        _WIDTH,
        11.0,
        kind="label",
        align="center",
        after=30.0,
    )
    sheet.write("by", _LEFT, _WIDTH, 11.0, kind="label", align="center", after=8.0)
    sheet.write(people[0].name, _LEFT, _WIDTH, 14.0, kind="author", align="center", after=60.0)
    sheet.write(
        f"Supervisor: Prof. {author.people(1, 1)[0].name}",
        _LEFT,
        _WIDTH,
        11.0,
        kind="label",
        align="center",
        after=40.0,
    )
    sheet.write(
        f"{town}, {author.month()} {author.year}" if author.chance(0.5) else str(author.year),
        _LEFT,
        _WIDTH,
        11.0,
        kind="date",
        align="center",
    )
    _contents(sheet, author)
    _chapters(sheet, author, 11.0)


def manual(author: Author, sheet: Sheet) -> None:
    """A program's manual: listings and their output, a list of parameters, few tables."""
    people = author.people(1, 2)
    title = f"{author.choice('hydrokit seisflow icegrid tidelab')}: {author.title()}"
    set_truth(sheet, author, people, title=title)
    sheet.y = 100.0
    sheet.write(title, _LEFT, _WIDTH, 17.0, kind="title", align="center", after=14.0)
    sheet.write(
        " and ".join(person.name for person in people), _LEFT, _WIDTH, 12.0, kind="author", align="center", after=8.0
    )
    sheet.write(
        f"{author.month()} {author.random.randint(1, 28)}, {author.year}",
        _LEFT,
        _WIDTH,
        12.0,
        kind="date",
        align="center",
        after=24.0,
    )
    items: list[BodyPart] = []
    for item in body(author, sheet, _WIDTH, 10.0, tables=1, numbered=True):
        items.append(item)
        if item.kind == "text":
            items.append(BodyPart("code", _listing(author)))
    sheet.flow(items, [PrintColumn(_LEFT, sheet.y, _WIDTH, 770.0)], _PAGE, 10.0)


def _listing(author: Author) -> str:
    if author.chance(0.5):
        return "> library(hydrokit)\n> x <- read_gauges('north.csv', skip = 2)\n> summary(x)"
    rows = [f"{number:>2}  {author.number():>9} {author.number():>9} {author.number():>9}" for number in range(1, 7)]
    return "\n".join(("    station     mean       max", *rows))


def leaflet(author: Author, sheet: Sheet) -> None:
    """A data sheet: a banner, a sidebar of contacts, a table of facts without rules."""
    set_truth(sheet, author)
    sheet.fill(0.0, 0.0, sheet.width, 60.0, 0.4)
    sheet.text(_LEFT, 38.0, f"FACT SHEET {author.year}-{author.random.randint(10, 99)}", 12.0, "bold", white=True)
    sheet.y = 100.0
    sheet.write(sheet.truth.title, _LEFT - 20.0, 500.0, 20.0, kind="title", style="bold", font="sans", after=14.0)
    top = sheet.y
    for line in (
        "Contact",
        "Survey of Earth and Water",
        "12 Harbour Road",
        "Harrow",
        "info@example.org",
        f"{author.month()} {author.year}",
    ):
        sheet.write(line, 430.0, 110.0, 8.0, kind="sidebar", style="bold" if line == "Contact" else "regular")
    sheet.y = top
    items = [BodyPart("heading", author.heading())] + [BodyPart("text", author.paragraph()) for _ in range(2)]
    items += [
        table(author, sheet, 330.0, 9.0, f"Table 1. {author.heading()}", ("plain", "zebra", "header")),
        BodyPart("text", author.paragraph()),
    ]
    sheet.flow(
        items, [PrintColumn(_LEFT - 20.0, top, 350.0, 780.0)], [PrintColumn(_LEFT - 20.0, 60.0, 350.0, 780.0)], 9.0
    )


REPORTS: tuple[Callable[[Author, Sheet], None], ...] = (
    manuscript,
    survey_report,
    memorandum,
    agency_series,
    german_agency,
    french_agency,
    thesis,
    manual,
    leaflet,
)
