"""`make tour`: walks through a running service and keeps a picture of each state, with a page that shows them all,
and a short recording of a search (``search.webp``).

``python -m tests.browser.tour --url URL --out dist/tour``; `sonde demo` gives the samples that the states name. Each
state is a desktop and a phone, and some are dark; the six languages take turns. It fails if a state does not appear,
so the pictures never show an older page than the one that is served. The pictures of the run before are kept beside
(``dist/tour-before``) and compared: the page of pictures shows what changed first.
"""

from __future__ import annotations

import argparse
import html
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

from tests.browser.chromium import chromium
from tests.browser.compared import Change, compared
from tests.browser.recording import record

_DESKTOP, _PHONE = {"width": 1366, "height": 900}, {"width": 390, "height": 844}
_RAINFALL = "?q=" + quote("rainfall in southern Africa since 1990")


LANGUAGES = ("en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "pt-PT")
Form = Literal["desktop", "phone", "dark"]


@dataclass(frozen=True)
class State:
    """``path`` below the service's address; ``shows``: what is there when it is ready; ``then``: what a person does.

    ``then`` names nothing by its words: each state is drawn in two languages.
    """

    name: str
    about: str
    path: str
    shows: str = "main"
    then: Callable[[Page], object] = lambda _page: None
    forms: tuple[Form, ...] = ("desktop", "phone")


def _click(selector: str, shows: str) -> Callable[[Page], object]:
    def click(page: Page) -> None:
        page.locator(selector).first.click()
        page.locator(shows).first.wait_for()

    return click


def _action(name: str) -> Callable[[Page], object]:
    """The panel of an action of a record."""
    return _click(f"[aria-controls=action-{name}]", f"#action-{name}:not([hidden])")


def _view(name: str) -> Callable[[Page], object]:
    def choose(page: Page) -> None:
        page.locator(".map-view").select_option(name)

    return choose


def _fail(page: Page) -> None:
    """The next search finds no service."""
    page.route("**/search?**", lambda route: route.abort())
    page.locator("input[type=search], input[role=combobox]").first.fill("rain")
    page.keyboard.press("Enter")
    page.locator(".note.wrong").first.wait_for()


_ERA5 = "records/samples%3Aera5-single-levels-hourly"
_MAP_SERVICE = "records/samples%3Aemodnet-bathymetry-wms"
_KEEP = ".list-tools [aria-controls=keep]"
_FILTERS, _MAP = (f".list-tools [aria-haspopup] >> nth={n}" for n in (1, 0))
_AREA = _click(".area-tools summary", ".area-tools button")
STATES = (
    State("home", "Home: what is here", "", forms=("desktop", "phone", "dark")),
    State("search", "A question read as what, where and when", _RAINFALL, ".hit", forms=("desktop", "phone", "dark")),
    State("search-place", "A place alone", "?q=Baltic+Sea", ".hit"),
    State("search-words", "Words alone", "?q=ocean+temperature&algorithm=bm25", ".hit"),
    State("search-narrowed", "Narrowed to a time", f"{_RAINFALL}&datetime=2000-01-01/2010-12-31&type=dataset", ".hit"),
    State("search-misspelt", "Misspelt words", "?q=raifall+precipitaton"),
    State("search-unknown", "A product code that nothing has", "?q=XKQZ-7731"),
    State("search-nothing", "Nothing found", "?q=zzzzqqq&source=nowhere"),
    State("search-why", "Why a hit is here", _RAINFALL, ".hit", _click(".why summary", ".bars")),
    State("search-keep", "What a reader can do with the list", _RAINFALL, ".hit", _click(_KEEP, ".keep section")),
    State("search-beside", "A record beside the list", _RAINFALL, ".hit", _click(".hit h2 a", ".detail .title")),
    State("search-failed", "The service does not answer", _RAINFALL, ".hit", _fail),
    State("filters", "Filters", _RAINFALL, ".hit", _click(_FILTERS, ".sheet"), ("phone",)),
    State("map-sheet", "The map", _RAINFALL, ".hit", _click(_MAP, ".sheet"), ("phone",)),
    State("map-polar", "The north", "?q=sea+ice", ".hit", _view("north"), ("desktop",)),
    State("map-area", "Drawing an area", _RAINFALL, ".hit", _AREA, ("desktop",)),
    State("record", "A record", _ERA5, ".facts-list", forms=("desktop", "phone", "dark")),
    State("record-service", "A map service", _MAP_SERVICE, ".facts-list"),
    State("record-cite", "Citing a record", _ERA5, ".facts-list", _action("cite")),
    State("record-qgis", "Opening a service in QGIS", _MAP_SERVICE, ".facts-list", _action("qgis")),
    State("record-share", "Sharing a record", _ERA5, ".facts-list", _action("share")),
    State("basket-empty", "An empty basket", "basket"),
    State("basket", "Records compared", f"basket?id={_ERA5[8:]}&id={_MAP_SERVICE[8:]}", "table"),
    State("ask", "Before a question", "answers"),
    State("answers", "A question to documents", "answers?q=" + quote("How deep were the cores drilled?")),
    State("documents", "Public documents", "documents?f=html", "body"),
    State("my-documents", "One's own documents", "my-documents"),
    State("sign-in", "Signing in", "sign-in"),
    State("desk", "The stewards' desk", "desk"),
    State("sources", "Catalogues and their harvests", "sources", forms=("desktop", "phone", "dark")),
    State("source", "One catalogue", "sources/samples"),
    State("catalogue", "The catalogue without a script", "collections/all/items?f=html", "body"),
    State("collections", "The collections", "collections?f=html", "body"),
    State("docs", "The interface", "docs", "body"),
    State("missing", "An address that leads nowhere", "records/nowhere"),
    State("lost", "A page that does not exist", "nowhere/at/all", "body"),
    State("wrong", "A request that cannot be read", "collections/all/items?f=html&bbox=wrong", "body"),
    State("embedded", "Embedded in another page", "embed?q=rainfall", "body"),
)
PATIENCE_MS = 30_000
_MARKS = "changes"
RECORDING = "search.webp"


@dataclass(frozen=True)
class Picture:
    file: str
    about: str


def tour(browser: Browser, url: str, out: Path, states: Sequence[State] = STATES) -> list[Picture]:
    """The pictures that were made. Raises SystemExit that names the states which did not appear."""
    out.mkdir(parents=True, exist_ok=True)
    missing: list[str] = []
    made: list[Picture] = []
    for state, form, options in _courses(states):
        file = f"{state.name}-{form}-{str(options['locale'])[:2]}.png"
        try:
            _take(browser, url, state, options, out / file)
        except BrowserError as error:
            missing.append(f"{file}: {str(error).splitlines()[0]}")
            continue
        made.append(Picture(file, f"{state.about} ({form})"))
        sys.stdout.write(f"{file}\n")
    if missing:
        raise SystemExit("These states did not appear:\n  " + "\n  ".join(missing))
    return made


def set_aside(out: Path) -> Path:
    """The folder of the run before, where what lies in ``out`` was moved; an older run there is deleted."""
    before = out.with_name(f"{out.name}-before")
    if any(out.glob("*.png")):
        shutil.rmtree(before, ignore_errors=True)
        out.rename(before)
    return before


def _courses(states: Sequence[State]) -> Iterator[tuple[State, Form, dict[str, object]]]:
    """Each form of a state in another language: the next one, and so on through all of them."""
    options: dict[Form, dict[str, object]] = {
        "desktop": {"viewport": _DESKTOP},
        "phone": {"viewport": _PHONE, "is_mobile": True, "has_touch": True},
        "dark": {"viewport": _DESKTOP, "color_scheme": "dark"},
    }
    for at, state in enumerate(states):
        for form in state.forms:
            turn = at + (0, 3, 1)[list(options).index(form)] + at // len(LANGUAGES)
            yield state, form, {**options[form], "locale": LANGUAGES[turn % len(LANGUAGES)]}


def _take(browser: Browser, url: str, state: State, options: dict[str, object], file: Path) -> None:
    context = browser.new_context(**options)  # type: ignore[arg-type]
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(url + state.path)
        page.locator(state.shows).first.wait_for()
        state.then(page)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=file)
    finally:
        context.close()


def _page(pictures: list[Picture], changes: Sequence[Change], before: Path) -> str:
    """The recording, then what changed since the run before (before, now, and where), then all."""
    about = {one.file: one.about for one in pictures}
    changed = "\n".join(
        f"<h2>{html.escape(about.get(one.file, one.file))}: {one.kind} {100 * one.share:.2f} %</h2><div>"
        + _figure(f"../{before.name}/{one.file}", "before")
        + _figure(one.file, "now")
        + _figure(f"{_MARKS}/{one.marked}", "what changed, in red")
        + "</div>"
        for one in changes
        if one.kind == "changed"
    )
    shown = "\n".join(_figure(one.file, one.about) for one in pictures)
    style = "body{font:16px sans-serif}div{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0}img{height:20rem}"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Sonde</title><style>{style}</style>'
    walk = f"<h2>A search</h2><div>{_figure(RECORDING, 'A question is typed, and a hit is opened')}</div>"
    return f"{head}{walk}{changed}<h2>All</h2><div>{shown}</div></html>"


def _figure(file: str, about: str) -> str:
    said = html.escape(about)
    picture = f'<a href="{file}"><img src="{file}" alt="{said}" loading="lazy"></a>'
    return f"<figure>{picture}<figcaption>{said}</figcaption></figure>"


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--url", default="http://127.0.0.1:8080", help="Of a running service.")
    given.add_argument("--out", type=Path, default=Path("dist/tour"))
    given.add_argument("--most", type=float, help="Fail if a state changed by more than this share (0 to 1).")
    asked = given.parse_args()
    path = chromium()
    if path is None:
        raise SystemExit("Install Debian's package chromium-headless-shell.")
    before = set_aside(asked.out)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        made = tour(browser, asked.url.rstrip("/") + "/", asked.out)
        frames = record(browser, asked.url.rstrip("/") + "/", asked.out / RECORDING)
        browser.close()
    size_kb = (asked.out / RECORDING).stat().st_size / 1000
    sys.stdout.write(f"{RECORDING}: {frames} frames, {size_kb:,.0f} KB\n")
    changes = compared(before, asked.out, asked.out / _MARKS) if before.exists() else []
    (asked.out / "index.html").write_text(_page(made, changes, before), "utf-8")
    for one in changes:
        if one.kind != "same":
            sys.stdout.write(f"{one}\n")
    same = sum(one.kind == "same" for one in changes)
    sys.stdout.write(f"{len(made)} pictures, {same} as in the run before: {asked.out}/index.html\n")
    if asked.most is not None and any(one.share > asked.most for one in changes):
        raise SystemExit(f"A state changed by more than {asked.most}.")


if __name__ == "__main__":
    main()
