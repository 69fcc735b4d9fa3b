"""Sources of the public judged collections: repository, commit, files, SHA-256 and licence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FILES_AT, ARCHIVES_AT = "https://raw.githubusercontent.com", "https://codeload.github.com"


@dataclass(frozen=True, slots=True)
class PublicFile:
    """``path`` in the repository; ``local_name`` in the collection's folder."""

    path: str
    sha256: str
    local_name: str


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """A folder of metadata files in a repository, kept as an archive.

    ``digest``: SHA-256 of the lines ``SHA-256 of the content, two spaces, name``, sorted by name.
    """

    folder: str
    digest: str
    local_name: str


@dataclass(frozen=True, slots=True)
class Home:
    """``folder``: where the files are kept, under the data folder."""

    repository: str
    commit: str
    licence: str
    folder: str
    files: tuple[PublicFile, ...] = ()
    records: tuple[RecordFolder, ...] = ()


CRANFIELD = Home(
    "feroshjacob/cranfield",
    "d9d5324f03a128bafb33a9165b1457077284e3f4",
    "distributed for research; the repository states no licence",
    "judged/cranfield",
    (
        PublicFile(
            "src/main/resources/cran.qry.json",
            "0d28ea319c0a04fc5e09b6d99b09abd47edb0e17816a4cc2928b206947cc83a2",
            "cran.qry.json",
        ),
        PublicFile(
            "src/main/resources/cranfield_data.json",
            "8cc447e428b09fc6578e0920a2e310be743ce19e0f02bc6e4e44e3ba91de24d2",
            "cranfield_data.json",
        ),
        PublicFile(
            "src/main/resources/cranqrel.json",
            "c551a82fffa85e9d22f400e2f219ea905b14d645a4ffacf0990a2a1a03ea181e",
            "cranqrel.json",
        ),
    ),
)
CLIMATE_FEVER = Home(
    "tdiggelm/climate-fever-dataset",
    "03de61617b10a5c1935f8e08bb0e8ac1ee775356",
    "evidence of Wikipedia, CC BY-SA; the repository states no licence",
    "judged/climate_fever",
    (
        PublicFile(
            "dataset/climate-fever.jsonl",
            "8a4b9032d861be482ffb49dddfd283ffa6089e654f1e968040011882c5eb6e0b",
            "climate-fever.jsonl",
        ),
    ),
)
# The questions over excerpts of the two UN ocean reports are in the first edition only; those of the second edition's
# test split are left out.
PIRA_FIRST_EDITION, PIRA_TEST_SPLIT, PIRA_REPORTS = "first_edition.json", "test.csv", "reports_questions.json"
PIRA = Home(
    "C4AI/Pira",
    "4666d88f1ecec8c3662de3ffaa0d313d924529c2",
    "CC0 1.0",
    "judged/pira",
    (
        PublicFile(
            "Data/validation.csv",
            "f6cf524ce76572086a7a540810326a69d0fa633a236191eb309342893304ef24",
            "validation.csv",
        ),
        PublicFile(
            "Data/test.csv", "29013cdc302139e18f0610d549321b203b1cb01bf901e90f796a24bb58d78841", PIRA_TEST_SPLIT
        ),
        PublicFile(
            "Pira1.0/JSON/Pirá-T-Total.json",
            "bdfc956ee73187d8b5e25c6025e0165528b00e5add397d261440c3753da06cb9",
            PIRA_FIRST_EDITION,
        ),
    ),
)
PUBMEDQA = Home(
    "pubmedqa/pubmedqa",
    "1cbae8e92f72f20c8d3747cbb3bf5bc53554d997",
    "MIT",
    "judged/pubmedqa",
    (
        PublicFile(
            "data/ori_pqal.json",
            "8b3276be8942ebbd77f3ddcda12c1749bf0e490045a736fd8438ee40cf37a41d",
            "ori_pqal.json",
        ),
    ),
)
NCAR = Home(
    "NCAR/dset-web-accessible-folder-dev",
    "1e6e5a99cf4a1fe610783d2c3a4a54a99ef54d98",
    "CC BY 4.0",
    "catalogues",
    records=(
        RecordFolder(
            "dash-eol-prod",
            "2f7cf24a5cad1a57c76afefe096220604672e1031ba9435581c71c6c466387c2",
            "ncar_eol_9206.tar.gz",
        ),
        RecordFolder(
            "rda",
            "ad0f0c1059d52a9ce05fc7e11c01578fde9711777b813c79deeedd59aa4b7120",
            "ncar_rda_1669.tar.gz",
        ),
    ),
)

HOMES: Mapping[str, Home] = {
    "cranfield": CRANFIELD,
    "climate_fever": CLIMATE_FEVER,
    "pira": PIRA,
    "pira_pt": PIRA,
    "pubmedqa": PUBMEDQA,
    "ncar": NCAR,
    "ncar_hand": NCAR,
    "typed_quick": NCAR,
}
"""Collections by name. The samples are in the repository; ``typed`` also needs files without one public home."""
