"""Hard negatives: texts that look like the answer but are not."""
