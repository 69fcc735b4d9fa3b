"""A table in the form that its document's entry keeps."""

from __future__ import annotations

from core.json_types import Json
from indexer.documents.model import Table
from indexer.documents.table_units import units


def stored_table(table: Table) -> Json:
    """Caption, size and cells as CSV; the page, each column's unit (empty: none stated), and how sure the reader is."""
    return {
        "caption": table.caption,
        "rows": len(table.rows),
        "columns": table.columns,
        "header_rows": table.header_rows,
        "csv": table.csv(),
        "units": [unit or "" for unit in units(table.heads, table.caption)],
        "sure": table.sure,
        "found_by": table.found_by,
        **({"page": table.page} if table.page is not None else {}),
    }
