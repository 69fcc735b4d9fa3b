"""Documents on their way in: bytes of a PDF, HTML, DOCX or text file to sections, tables and passages.

``read_document`` is pure of the network and runs in a process of its own (``isolation``); ``segment`` cuts what it
gives into passages; ``ingest`` puts those into the index.
"""
