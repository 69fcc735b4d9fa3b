"""Reads documents: bytes of a PDF, HTML, DOCX or text file become sections, tables and passages.

``read_document`` does not use the network and runs in a separate process (``isolation``); ``segment`` splits its
result into passages; ``ingest`` writes those to the index.
"""
