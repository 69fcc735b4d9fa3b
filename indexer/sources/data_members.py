"""What folders, listings and buckets share about data files: how a file becomes the document of its header."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from indexer.data_files.containers import DATA_SUFFIXES, DataFile
from indexer.data_files.messages import FileFault
from indexer.data_files.reader import HeaderReader
from indexer.formats.readers.data_file import document_of
from indexer.raw import PassedOver, RawRecord, SkippedMember
from indexer.sources.members import is_hidden_path

DESCRIBED = "data whose metadata lie beside them, in a file of the same name"
_WRF = re.compile(r"wrf(?:out|input|bdy|rst|xtrm)_d\d\d")  # the model names its NetCDF files without a suffix
_DESCRIPTIONS = (".xml", ".json", ".jsonld")


def is_data(name: str) -> bool:
    """Whether a name looks like a data file that Sonde reads."""
    path = PurePosixPath(name.lower())
    return (path.suffix in DATA_SUFFIXES or _WRF.match(path.name) is not None) and not is_hidden_path(name)


def description_beside(name: str, names: Mapping[str, str]) -> str | None:
    """The file of the same folder with the metadata of a data file: ``x.xml`` or ``x.nc.xml`` beside ``x.nc``.

    ``names``: those of the folder by their lower case.
    """
    bases = (name.lower(), PurePosixPath(name).stem.lower())
    return next((names[other] for base in bases for suffix in _DESCRIPTIONS if (other := base + suffix) in names), None)


@dataclass(slots=True)
class DataMembers:
    """Reads files with one process, which ``close`` ends."""

    reader: HeaderReader = field(default_factory=HeaderReader)

    def outcome(
        self, file: DataFile, native_id: str, origin: str, modified: str | None
    ) -> RawRecord | SkippedMember | PassedOver:
        """The document of its header; what it lacks for one. Raises the SondeError of ``file.read``."""
        try:
            header = self.reader.read(file)
            content = document_of(file.name, file.size, header)
        except FileFault as fault:
            if fault.is_data:
                return SkippedMember(origin, str(fault), native_id)
            return PassedOver(origin, str(fault))
        except OSError as error:
            return SkippedMember(origin, f"it cannot be read: {error}", native_id)
        return RawRecord(native_id, content, origin, "application/json", modified)

    def close(self) -> None:
        self.reader.close()
