"""Formats to blocks: ``read.read_document`` turns the bytes of one file into a ``model.ReadDocument``."""
