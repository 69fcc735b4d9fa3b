"""The names of the tasks, for queueing them. Importing this imports neither Celery nor the tasks."""

from __future__ import annotations

HARVEST_TASK = "sonde.harvest_source"
EMBED_TASK = "sonde.embed_records"
REQUEUE_TASK = "sonde.requeue_lapsed"
REREAD_TASK = "sonde.reread_sources"
PURGE_TASK = "sonde.purge_removed"
INHERIT_TASK = "sonde.inherit_again"
"""In the queue ``harvest``: it takes seconds, and filters should not wait for hours of reading."""
DOCUMENTS_TASK = "sonde.read_linked_documents"
READ_TASK = "sonde.read_document"
REPAIR_LIBRARY_TASK = "sonde.tidy_library"
LINKS_TASK = "sonde.check_links"
ALL_LINKS_TASK = "sonde.check_all_links"
MATCH_TASK = "sonde.match_saved_searches"
SEND_TASK = "sonde.send_alerts"
MEASURE_TASK = "sonde.measure_answers"

OF_DOCUMENTS_QUEUE = (DOCUMENTS_TASK, LINKS_TASK, ALL_LINKS_TASK)
OF_LIBRARY_QUEUE = (READ_TASK, REPAIR_LIBRARY_TASK)
"""Users' documents: in a queue of their own, so that nobody waits for the documents of a catalogue."""
