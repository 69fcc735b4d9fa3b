"""Settings of documents: how they are read, completed by registries, cited, and uploaded by users."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field

from core.document import PublicFiles
from sonde.setting_types import HttpUrl, SettingsGroup

_MIB = 1024 * 1024


class CitationsSettings(SettingsGroup):
    """Works elsewhere that cite a record, shown on its page."""

    events_url: HttpUrl | None = Field(
        None,
        description="Service with DataCite's interface for event data, such as https://api.datacite.org/events. It "
        "learns which DOIs are opened. Default: no service is asked.",
    )


class RegistrySettings(SettingsGroup):
    """Registries that complete title, authors, journal and date of a document (docs/stewards/documents.md)."""

    ask: Literal["none", "public", "all"] = Field(
        "public",
        description="Documents whose DOIs are looked up: `public`: those that everybody may see; `all`: users' "
        "documents too, so the registry learns what users read; `none`. Needs SONDE_NET__CONTACT.",
    )
    crossref_url: HttpUrl = Field("https://api.crossref.org", description="Crossref's REST API, or a mirror of it.")
    datacite_url: HttpUrl = Field("https://api.datacite.org", description="DataCite's REST API, or a mirror of it.")


class DocumentsSettings(SettingsGroup):
    """How PDFs and other documents are read and split into passages."""

    seconds: float = Field(300.0, gt=0, description="Longest time to read one document.")
    memory_mib: int = Field(
        1024, ge=256, description="Maximum memory (address space) of the process that reads a document."
    )
    max_mib: int = Field(200, ge=1, description="Largest document that is read.")
    max_pages: int = Field(1500, ge=1, description="A document with more pages is refused.")
    ocr: bool = Field(
        True, description="Whether tesseract reads pages without a text layer, and large pictures on pages with one."
    )
    ocr_languages: str = Field(
        "auto",
        pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$",
        description="Language codes of tesseract (`eng`, `fra+deu`). `auto`: those that are installed; the script of "
        "the page and the confidence of the text decide.",
    )
    ocr_pages: int = Field(200, ge=0, description="Maximum pages of one document for OCR.")
    public_files: PublicFiles = Field(
        "licensed",
        description="Public documents whose file Sonde keeps and shows: `licensed`: the record has an open licence; "
        "`all`; `none`.",
    )
    segmenter: str | None = Field(
        None, description="Folder of a trained segmenter. Default: Sonde splits at paragraphs."
    )


class LibrarySettings(SettingsGroup):
    """Documents that users upload."""

    enabled: bool = Field(
        True, description="Whether uploads are accepted; set false if API and workers cannot share the folder."
    )
    folder: Path = Field(
        default_factory=lambda: platformdirs.user_state_path("sonde") / "library",
        description="Folder for uploaded files; API and workers must share it.",
    )
    max_file_mib: int = Field(20, ge=1, le=100, description="Largest upload.")
    max_documents: int = Field(500, ge=1, le=9_000, description="Maximum documents of one user.")
    max_mib: int = Field(1024, ge=1, description="Maximum size of one user's files.")

    @property
    def max_file_bytes(self) -> int:
        return self.max_file_mib * _MIB

    @property
    def max_bytes(self) -> int:
        return self.max_mib * _MIB
