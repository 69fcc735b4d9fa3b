"""Writes one record in the formats that other catalogues, crawlers and tools read. Pure: Record in, text out."""
