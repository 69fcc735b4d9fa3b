"""Prints of office programs, slides, posters, forms and maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.quality.layouts.contents import Author, Person
from tests.quality.layouts.reports import set_truth
from tests.quality.layouts.sheet import PrintColumn, Sheet, body, draw_table, table

_LEFT, _WIDTH = 70.0, 455.0


def word_print(author: Author, sheet: Sheet) -> None:
    """A print of an office program: its file's name in the metadata, a letterhead, bordered tables."""
    people = author.people(1, 3)
    set_truth(sheet, author, people)
    sheet.canvas.setTitle(
        f"Microsoft Word - {author.heading()}_v{author.random.randint(1, 9)}.docx"
        if author.chance(0.5)
        else f"{author.heading().replace(' ', '_')}.xlsx"
    )
    sheet.canvas.setAuthor(author.choice("admin user1 jsmith"))
    office = author.office()
    sheet.furniture = lambda page: _letterhead(page, office)
    _letterhead(sheet, office)
    sheet.y = 130.0
    sheet.write(
        sheet.truth.title,
        _LEFT,
        _WIDTH,
        16.0,
        kind="title",
        style="bold" if author.chance(0.6) else "regular",
        font="sans",
        after=10.0,
    )
    sheet.write(", ".join(person.name for person in people), _LEFT, _WIDTH, 11.0, kind="author", font="sans", after=4.0)
    sheet.write(author.day(), _LEFT, _WIDTH, 11.0, kind="date", font="sans", after=16.0)
    items = body(author, sheet, _WIDTH, 11.0, tables=3)
    sheet.flow(items, [PrintColumn(_LEFT, sheet.y, _WIDTH, 760.0)], [PrintColumn(_LEFT, 110.0, _WIDTH, 760.0)], 11.0)


def _letterhead(sheet: Sheet, office: str) -> None:
    sheet.text(_LEFT, 40.0, office, 9.0, "bold")
    sheet.text(_LEFT, 52.0, "12 Harbour Road, 10115 Harrow · Tel. 030 123456 · www.example.org", 7.0)
    sheet.rule(_LEFT, 60.0, _LEFT + _WIDTH, 60.0)


def office_slides(author: Author, sheet: Sheet) -> None:
    """Landscape slides: a title slide, bullets, a table, the same foot on each."""
    people = author.people(1, 3)
    set_truth(sheet, author, people)
    sheet.canvas.setTitle(f"Microsoft PowerPoint - {author.heading()}.pptx")
    sheet.fill(0.0, 0.0, sheet.width, 40.0, 0.8)
    sheet.y = 170.0
    sheet.write(
        sheet.truth.title,
        60.0,
        600.0,
        32.0,
        kind="title",
        style="bold" if author.chance(0.5) else "regular",
        align="center",
        after=30.0,
    )
    sheet.write(
        ", ".join(person.name for person in people), 60.0, 600.0, 18.0, kind="author", align="center", after=8.0
    )
    sheet.write(people[0].office, 60.0, 600.0, 14.0, kind="affiliation", align="center", after=20.0)
    sheet.write(author.day(), 60.0, 600.0, 14.0, kind="date", align="center")
    sheet.furniture = lambda page: _slide_foot(page, people[0].last, author.year)
    for number in range(author.random.randint(5, 9)):
        sheet.turn_page()
        sheet.y = 70.0
        sheet.write(author.heading(), 50.0, 620.0, 26.0, kind="heading", style="bold", after=16.0)
        if number % 3 == 2:
            item = table(author, sheet, 560.0, 15.0, "", ("grid", "shaded", "zebra", "header"))
            if item.cells is not None and len(item.cells.rows) <= 12:
                draw_table(sheet, item, PrintColumn(60.0, sheet.y, 560.0, 500.0), 15.0)
                continue
        for _ in range(author.random.randint(3, 6)):
            sheet.write(f"• {author.sentence()}", 60.0, 580.0, 17.0, kind="list", after=6.0)


def _slide_foot(sheet: Sheet, name: str, year: int) -> None:
    sheet.text(50.0, sheet.height - 16.0, f"{name}  |  Annual meeting {year}", 10.0)
    sheet.text(660.0, sheet.height - 16.0, str(sheet.page), 10.0)


def barred_slides(author: Author, sheet: Sheet) -> None:
    """Slides with a bar of sections at the top and of name, title and page at the foot of each."""
    people = author.people(1, 3)
    set_truth(sheet, author, people)
    names = [author.heading().split(" ")[-1].capitalize() for _ in range(5)]
    short = " ".join(sheet.truth.title.split()[:4])

    def furniture(page: Sheet) -> None:
        page.fill(0.0, 0.0, page.width, 24.0, 0.7)
        page.fill(0.0, page.height - 14.0, page.width, page.height, 0.7)
        for place, name in enumerate(names):
            page.text(12.0 + place * 72.0, 10.0, name, 6.0)
            page.text(12.0 + place * 72.0, 19.0, "o" * (1 + place % 4), 6.0)
        page.text(10.0, page.height - 4.0, people[0].name, 6.0)
        page.text(130.0, page.height - 4.0, short, 6.0)
        page.text(300.0, page.height - 4.0, f"{author.year}     {page.page} / 20", 6.0)

    sheet.furniture = furniture
    furniture(sheet)
    sheet.y = 90.0
    sheet.write(sheet.truth.title, 30.0, 300.0, 14.0, kind="title", font="sans", align="center", after=14.0)
    sheet.write(_names(people), 30.0, 300.0, 10.0, kind="author", font="sans", align="center", after=6.0)
    sheet.write(people[0].office, 30.0, 300.0, 8.0, kind="affiliation", font="sans", align="center", after=10.0)
    sheet.write(
        f"{author.month()} {author.random.randint(1, 28)}, {author.year}",
        30.0,
        300.0,
        9.0,
        kind="date",
        font="sans",
        align="center",
    )
    for number in range(author.random.randint(6, 10)):
        sheet.turn_page()
        sheet.y = 46.0
        sheet.write(author.heading(), 14.0, 330.0, 13.0, kind="heading", font="sans", after=12.0)
        if number % 4 == 3:
            item = table(author, sheet, 300.0, 8.0, "", ("booktabs", "grid", "header"))
            if item.cells is not None and len(item.cells.rows) <= 9:
                draw_table(sheet, item, PrintColumn(20.0, sheet.y, 300.0, 250.0), 8.0)
                continue
        for _ in range(author.random.randint(3, 5)):
            sheet.write(f"• {author.sentence()}", 20.0, 310.0, 9.5, kind="list", font="sans", after=4.0)


def _names(people: Sequence[Person]) -> str:
    names = [person.name for person in people]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def poster(author: Author, sheet: Sheet) -> None:
    """One large page: a banner with title and names, three columns of framed parts."""
    people = author.people(2, 5)
    set_truth(sheet, author, people, year=False)
    sheet.fill(0.0, 0.0, sheet.width, 260.0, 0.85)
    sheet.y = 100.0
    sheet.write(
        sheet.truth.title,
        80.0,
        sheet.width - 160.0,
        64.0,
        kind="title",
        style="bold",
        font="sans",
        align="center",
        after=10.0,
    )
    sheet.write(
        ", ".join(f"{person.name}^{place + 1}^" for place, person in enumerate(people)),
        80.0,
        sheet.width - 160.0,
        32.0,
        kind="author",
        font="sans",
        align="center",
        after=4.0,
    )
    sheet.write(
        "; ".join(f"^{place + 1}^{person.office}" for place, person in enumerate(people[:3])),
        80.0,
        sheet.width - 160.0,
        20.0,
        kind="affiliation",
        font="sans",
        align="center",
    )
    width = (sheet.width - 200.0) / 3.0
    for column in range(3):
        left, sheet.y = 60.0 + column * (width + 40.0), 330.0
        for name in ("Introduction", "Data", "Results", "Conclusions"):
            if sheet.y > sheet.height - 320.0:
                break
            top = sheet.y - 36.0
            sheet.write(
                name if column == 0 else author.heading(),
                left + 12.0,
                width - 24.0,
                30.0,
                kind="heading",
                style="bold",
                font="sans",
                after=8.0,
            )
            text = author.paragraph(3, 5)
            sheet.truth.paragraphs.append(text)
            sheet.write(text, left + 12.0, width - 24.0, 22.0, kind="text", font="sans", after=10.0)
            if sheet.y < 0.55 * sheet.height and author.chance(0.4):
                item = table(
                    author,
                    sheet,
                    width - 40.0,
                    20.0,
                    f"Table {column + 1}. {author.heading()}",
                    ("booktabs", "grid", "shaded"),
                )
                draw_table(sheet, item, PrintColumn(left + 12.0, sheet.y, width - 40.0, 9999.0), 20.0)
            bottom = sheet.y
            for edge in (
                (left, top, left + width, top),
                (left, bottom, left + width, bottom),
                (left, top, left, bottom),
                (left + width, top, left + width, bottom),
            ):
                sheet.rule(*edge)
            sheet.y += 70.0


def form(author: Author, sheet: Sheet) -> None:
    """Boxes with labels to fill in: no table of data."""
    set_truth(
        sheet,
        author,
        title=author.choice(
            ("Field sheet for gauge inspection", "Application for access to cores", "Record of water samples")
        ),
        year=False,
    )
    _letterhead(sheet, "Survey of Earth and Water")
    sheet.y = 100.0
    sheet.write(sheet.truth.title, _LEFT, _WIDTH, 16.0, kind="title", style="bold", after=10.0)
    sheet.write(author.paragraph(2, 3), _LEFT, _WIDTH, 9.0, kind="text", after=12.0)
    labels = (
        "Name of station",
        "Date and time",
        "Observer",
        "Coordinates",
        "Purpose of visit",
        "Weather",
        "Equipment",
        "Remarks",
        "Signature",
        "Telephone",
    )
    for place in range(0, len(labels), 2):
        height = author.random.choice((26.0, 40.0))
        for x, label in ((_LEFT, labels[place]), (_LEFT + _WIDTH / 2.0, labels[place + 1])):
            sheet.text(x + 4.0, sheet.y + 10.0, f"{label}:", 8.0)
            if author.chance(0.3):
                sheet.text(
                    x + 90.0,
                    sheet.y + 22.0,
                    author.choice(("yes  [ ]   no  [ ]", "____________", "dd / mm / yyyy")),
                    8.0,
                )
            for edge in (
                (x, sheet.y, x + _WIDTH / 2.0, sheet.y),
                (x, sheet.y + height, x + _WIDTH / 2.0, sheet.y + height),
                (x, sheet.y, x, sheet.y + height),
                (x + _WIDTH / 2.0, sheet.y, x + _WIDTH / 2.0, sheet.y + height),
            ):
                sheet.rule(*edge)
        sheet.y += height
    sheet.note("form", "", _LEFT, 160.0, _LEFT + _WIDTH, sheet.y)


def map_sheet(author: Author, sheet: Sheet) -> None:
    """A map with a grid of coordinates, names of places, a legend and a block with the title at the foot."""
    people = author.people(1, 3)
    set_truth(
        sheet,
        author,
        people,
        title=f"Geological map of {author.choice('Harrow and Lindau|the Marlow district|the Orsay sheet')} 1:50 000",
    )
    for step in range(9):
        sheet.rule(60.0 + 80.0 * step, 60.0, 60.0 + 80.0 * step, 560.0, 0.3)
        sheet.text(54.0 + 80.0 * step, 54.0, f"{step + 5}° 30'", 6.0)
        if step < 7:
            sheet.rule(60.0, 60.0 + 80.0 * step, 700.0, 60.0 + 80.0 * step, 0.3)
            sheet.text(36.0, 62.0 + 80.0 * step, f"{50 - step}°", 6.0)
    for _ in range(50):
        sheet.text(
            author.random.uniform(70.0, 640.0),
            author.random.uniform(70.0, 540.0),
            author.choice("Harrow Lindau Marlow Orsay Qh2 Tj1 Kb 412 388 1024"),
            6.0,
        )
    sheet.y = 90.0
    sheet.write("Legend", 720.0, 110.0, 9.0, kind="heading", style="bold")
    for name in ("Quaternary gravel", "Triassic sandstone", "Basalt", "Fault"):
        sheet.fill(720.0, sheet.y - 8.0, 740.0, sheet.y, 0.6)
        sheet.write(name, 746.0, 90.0, 7.0, kind="chart", after=6.0)
    sheet.y = 600.0 - 14.0
    sheet.write(sheet.truth.title, 60.0, 600.0, 18.0, kind="title", style="bold", after=2.0)
    sheet.write(f"{_names(people)}, {author.year}", 60.0, 500.0, 9.0, kind="author")


PRINTS: tuple[Callable[[Author, Sheet], None], ...] = (
    word_print,
    office_slides,
    barred_slides,
    poster,
    form,
    map_sheet,
)
SIZES = {
    "office_slides": (720.0, 540.0),
    "barred_slides": (363.0, 272.0),
    "poster": (2384.0, 1684.0),
    "map_sheet": (842.0, 640.0),
}
