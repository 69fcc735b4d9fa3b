"""Called by mkdocs while it builds: version and repository, links out of the guides, what the search leaves out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

_LINK_UP = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#\s]+)(?:#[^)]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    pyproject = Path(config.docs_dir).parent / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    config.site_name = f"{config.site_name} {project['version']}"
    config.repo_url = config.repo_url or project.get("urls", {}).get("Repository")
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    if page.file.src_uri.startswith("adr/"):
        page.meta["search"] = {"exclude": True}
    return _LINK_UP.sub(lambda link: _outside(link, page, config), markdown)


def _outside(link: re.Match[str], page: Page, config: MkDocsConfig) -> str:
    """A link to a file of the repository that is no page: to the repository's page of it, else its name.

    What is not there stays, so that the build fails.
    """
    docs = Path(config.docs_dir).resolve()
    target = (docs / page.file.src_uri).parent.joinpath(link[2]).resolve()
    if not target.exists() or target.is_relative_to(docs) or not target.is_relative_to(docs.parent):
        return link[0]
    name = target.relative_to(docs.parent).as_posix()
    return f"[{link[1]}]({config.repo_url}/blob/main/{name})" if config.repo_url else f"{link[1]} (`{name}`)"
