"""One reader per metadata format; ``indexer.formats.recognition`` lists them."""
