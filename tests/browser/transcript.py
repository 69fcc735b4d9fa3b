"""What a screen reader says on the way through a search, written down.

The reader is Guidepup's virtual one: it speaks what the W3C's specifications of names, roles and states ask for, in the
order of the page. It is no real reader, and replaces none: it shows what one has to say. ``python -m
tests.browser.transcript --url http://127.0.0.1:8080`` writes ``docs/portals/transcript.txt`` of a running service with
the samples (`make demo`); npm's packages must lie in ``web/`` (``npm ci --ignore-scripts``).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import chromium
from tests.browser.conftest import open_record

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "portals" / "transcript.txt"
_QUESTION = "rainfall in southern Africa since 1990"
_MOST = 800
"""Phrases of one page: of an answer, the first three or four hits."""

_SPOKEN = """async ([selector, most]) => {
  const { virtual } = window.sondeReader;
  await virtual.start({ container: document.querySelector(selector) });
  let spoken = await virtual.lastSpokenPhrase();
  const said = [spoken];
  for (let step = 0; said.length <= most;) {
    await virtual.next();
    spoken = await virtual.lastSpokenPhrase();
    if (spoken === said[0] && said.at(-1) === `end of ${spoken}`) break; // "document" is also a kind of record
    said.push(spoken);
    if (said.length === most) said.push("(and so on)");
  }
  await virtual.stop();
  return said;
}"""


def reader_script(web: Path, folder: Path) -> Path:
    """The reader as one script in ``folder``. Raises CalledProcessError."""
    made = folder / "reader.js"
    subprocess.run(["node", "reader.mjs", str(made)], cwd=web, check=True, capture_output=True, timeout=120)
    return made


def spoken(page: Page, script: Path, selector: str = "body") -> Sequence[str]:
    """What is said of a part of the page, from its beginning to its end."""
    page.add_script_tag(path=script)
    said: list[str] = page.evaluate(_SPOKEN, [selector, _MOST])
    return said


def course(browser: Browser, url: str, script: Path) -> str:
    """A search: the start page, the question typed, its answer, and a record."""
    context = browser.new_context(locale="en-GB", bypass_csp=True)  # the reader's script is not the page's own
    page = context.new_page()
    parts: list[tuple[str, Sequence[str]]] = []
    page.goto(url)
    page.wait_for_load_state("networkidle")
    parts.append(("The start page", spoken(page, script)))
    page.locator("input[role=combobox]").fill(_QUESTION)
    page.keyboard.press("Enter")
    page.locator(".hit").first.wait_for()
    page.wait_for_load_state("networkidle")
    parts.append((f"The answer to: {_QUESTION}", spoken(page, script)))
    open_record(page)
    page.wait_for_load_state("networkidle")
    parts.append(("The first record", spoken(page, script)))
    context.close()
    return "\n".join(f"# {title}\n\n" + "\n".join(said) + "\n" for title, said in parts)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--url", default="http://127.0.0.1:8080", help="Of a running service with the samples.")
    given.add_argument("--out", type=Path, default=OUT)
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        asked.out.write_text(course(browser, asked.url.rstrip("/") + "/", reader_script(ROOT / "web", Path(folder))))
        browser.close()
    sys.stdout.write(f"{asked.out}\n")


if __name__ == "__main__":
    main()
