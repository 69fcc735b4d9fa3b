"""The help of `sonde` by task: written here, so that `sonde --help` imports no command."""

from __future__ import annotations

from collections.abc import Mapping

TASKS: Mapping[str, Mapping[str, str]] = {
    "Run Sonde on this machine": {
        "up": "Start Elasticsearch, Valkey, a worker, beat and the API.",
        "down": "End what `up` started.",
        "status": "Which parts run, and where.",
        "demo": "Start everything, harvest the samples, and show a few searches.",
        "doctor": "Look at every part of an installation and say what to mend.",
    },
    "Bring data in": {
        "sources": "List catalogues, add one, and report on the quality of its records.",
        "harvest": "Bring records of catalogues or files into the index.",
        "ingest": "Read documents (PDF, HTML, DOCX, text) and index their passages.",
        "formats": "Survey a folder of metadata: formats, gaps, and what cannot be read.",
    },
    "Search and ask": {
        "search": "Search the running service.",
        "ask": "Ask the indexed documents; the answer cites page and section.",
        "mcp": "Serve the Model Context Protocol, for an agent on this machine.",
    },
    "Look after an installation": {
        "backup": "Take and restore snapshots of all indices.",
        "keys": "Make, list and revoke API keys.",
        "vocabulary": "Load vocabularies whose synonyms widen a search.",
        "models": "List, fetch and check models.",
        "reindex": "Build the index for another model or version beside the serving one, and switch.",
    },
    "Measure and train": {
        "evaluate": "Measure the search on a judged collection.",
        "ask-evaluate": "Measure answers on a judged collection.",
        "ask-questions": "Make test questions from one's own documents.",
        "judge": "Grade what runs found, question by question.",
        "train": "Train models on the records of a catalogue.",
    },
    "Laboratory (in a checkout)": {
        "bench": "Measure harvest, embedding and search.",
        "load": "Search as many clients at once would.",
        "simulate": "Let simulated people search, and see what the ranking learns.",
        "chaos": "Break things on purpose, and check what is right afterwards.",
    },
}
"""Commands by task; a test compares them with the existing commands."""
