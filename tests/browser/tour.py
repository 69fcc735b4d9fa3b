"""`make tour`: walks through a running service and keeps a picture of each state, with a page that shows them all,
and a short recording of a search (``search.webp``).

``python -m tests.browser.tour --url http://127.0.0.1:8080 --out dist/tour``; `sonde demo` gives the samples that the
states name. Each state is a desktop and a phone, and some are dark: forty pictures and more. It fails if a state does
not appear, so the pictures never show an older page than the one that is served. The pictures of the run before are
kept beside (``dist/tour-before``) and compared: the page of pictures shows what changed first.
"""

from __future__ import annotations

import argparse
import html
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

from tests.browser.chromium import chromium
from tests.browser.compared import Change, compared
from tests.browser.recording import record

_DESKTOP, _PHONE = {"width": 1366, "height": 900}, {"width": 390, "height": 844}
_RAINFALL = "?q=" + quote("rainfall in southern Africa since 1990")
_RAIN = f"search{_RAINFALL}"


@dataclass(frozen=True)
class State:
    """``path`` below the service's address; ``shows``: what is there when it is ready; ``then``: what a person does."""

    name: str
    about: str
    path: str
    shows: str
    then: Callable[[Page], object] = lambda _page: None


def _first_hit(page: Page) -> None:
    page.locator(".hit a").first.click()
    page.locator(".detail .title").wait_for()


def _keep_list(page: Page) -> None:
    page.get_by_role("button", name="Share, save, export").click()
    page.locator(".keep section").first.wait_for()


STATES = (
    State("home", "Home: what is here", "", "main"),
    State("search", "A question read as what, where and when", _RAIN, ".hit"),
    State("search-place", "A place alone", "search?q=Baltic+Sea", ".hit"),
    State("search-words", "Words alone", "search?q=ocean+temperature&algorithm=bm25", ".hit"),
    State("search-narrowed", "Narrowed to a source and a time", f"{_RAIN}&datetime=2000-01-01/2010-12-31", ".hit"),
    State("search-misspelt", "Misspelt words", "search?q=raifall+precipitaton", "main"),
    State("search-unknown", "A product code that nothing has", "search?q=XKQZ-7731", "main"),
    State("search-nothing", "Nothing found", "search?q=zzzzqqq&source=nowhere", "main"),
    State("search-keep", "What a reader can do with the list", _RAIN, ".hit", _keep_list),
    State("search-german", "German", f"{_RAINFALL}&lang=de", ".hit"),
    State("search-french", "French", f"{_RAINFALL}&lang=fr", ".hit"),
    State("record", "A record", _RAIN, ".hit", _first_hit),
    State("answers", "A question to documents", "answers?q=" + quote("How deep were the cores drilled?"), "main"),
    State("documents", "Public documents", "documents?f=html", "body"),
    State("my-documents", "One's own documents", "my-documents", "main"),
    State("sources", "Sources and their harvests", "sources", "main"),
    State("source", "One source", "sources/samples", "main"),
    State("catalogue", "The catalogue without a script", "collections/all/items?f=html", "body"),
    State("docs", "The interface", "docs", "body"),
    State("missing", "An address that leads nowhere", "records/nowhere", "main"),
    State("embedded", "Embedded in another page", "embed?q=rainfall", "body"),
)
PATIENCE_MS = 30_000
_MARKS = "changes"
RECORDING = "search.webp"
_DARK = frozenset(("home", "search", "record", "sources"))


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
        file = f"{state.name}-{form}.png"
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


def _courses(states: Sequence[State]) -> Iterator[tuple[State, str, dict[str, object]]]:
    for state in states:
        yield state, "desktop", {"viewport": _DESKTOP}
        yield state, "phone", {"viewport": _PHONE, "is_mobile": True, "has_touch": True}
        if state.name in _DARK:
            yield state, "dark", {"viewport": _DESKTOP, "color_scheme": "dark"}


def _take(browser: Browser, url: str, state: State, options: dict[str, object], file: Path) -> None:
    context = browser.new_context(locale="en-GB", **options)  # type: ignore[arg-type]
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
    sys.exit(main())
