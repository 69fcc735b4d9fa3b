"""How to read a document: one file per metadata standard, RawRecord in, core.record.Record out."""
