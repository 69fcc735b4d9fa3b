"""The guides as a site: their search works in a folder, without a server and without the network; a command is copied
without its prompt, and folded where it is long."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).resolve().parents[2]


_PAGE = """# Commands

```console
$ make demo    # starts everything
$ curl 'localhost:8080/search?q=ice&limit=1'
{"type": "FeatureCollection"}
$ sonde harvest \\
    --full samples
```

```console
$ curl 'localhost:8080/search?q=LONG'
```

## Saved searches

A saved search sends what is new.
"""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a small site, built with the configuration of the whole one."""
    folder = tmp_path_factory.mktemp("docs")
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    for name in ("docs/scripts", "pyproject.toml"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    (folder / "mkdocs.yml").write_text(text[: text.index("\nnav:\n")], "utf-8")
    (folder / "docs" / "index.md").write_text(_PAGE.replace("LONG", "rain+in+Africa+since+1990+" * 20), "utf-8")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=folder, check=True)
    return (folder / "dist" / "site" / "index.html").as_uri()


@pytest.fixture
def page(browser: Browser, start: str) -> Iterator[Page]:
    """What is copied there is in ``copied``."""
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.requested = []
    page.on("request", lambda request: page.requested.append(request.url))
    page.goto(start)
    page.evaluate("document.addEventListener('copy', event => { window.copied = event.target.value }, true)")
    yield page
    page.close()


def test_the_search_works_without_a_server(page: Page) -> None:
    page.locator("label[for=__search]").first.click()
    page.locator(".md-search__input").first.press_sequentially("saved searches")
    expect(page.locator(".md-search-result__link", has_text="Saved searches")).to_have_attribute(
        "href", re.compile(r"^file:.*#saved-searches$")
    )
    assert [url for url in page.requested if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_command_is_copied_without_prompt_and_output(page: Page) -> None:
    block = page.locator(".language-console").first
    block.hover()
    block.locator("button.md-clipboard, .md-code__button").first.click()
    lines = [line.partition("#")[0].strip() for line in page.evaluate("window.copied").splitlines()]
    assert [line for line in lines if line] == [
        "make demo",
        "curl 'localhost:8080/search?q=ice&limit=1'",
        "sonde harvest \\",
        "--full samples",
    ]


def test_a_long_command_is_folded(page: Page) -> None:
    code = page.locator(".language-console code").nth(1)
    wide, shown = code.evaluate("element => [element.scrollWidth, element.clientWidth]")
    assert wide <= shown
    assert code.evaluate("element => element.getBoundingClientRect().height") > 50
