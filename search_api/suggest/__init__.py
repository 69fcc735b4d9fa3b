"""Completions while somebody types: titles and keywords from the index, places from the gazetteer."""
