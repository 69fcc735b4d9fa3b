"""Reads documents: the bytes of a PDF, image, HTML, DOCX or text file become passages in the index.

1. ``parse``: any format to blocks, tables and front matter. ``read.read_document`` uses no network and runs in a
   process without rights (``isolation`` starts it, ``child`` is it, ``indexer.confinement`` takes its rights away).
2. ``segment``: blocks to passages that fit the embedder.
3. ``index``: ``ingest`` runs both, embeds the passages and writes them; ``library`` and ``linked`` bring users'
   documents and the documents that records link to.

Each folder imports only the folders before it.
"""
