"""Called by mkdocs while it builds the site: names version and repository, keeps decisions out of the search."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

_PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    project = tomllib.loads(_PYPROJECT.read_text("utf-8"))["project"]
    config.site_name = f"{config.site_name} {project['version']}"
    config.repo_url = config.repo_url or project.get("urls", {}).get("Repository")
    return config


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    if page.file.src_uri.startswith("adr/"):
        page.meta["search"] = {"exclude": True}
    return markdown
