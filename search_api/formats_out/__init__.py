"""One record written in the languages that other catalogues, crawlers and tools read. Pure: Record in, text out."""
