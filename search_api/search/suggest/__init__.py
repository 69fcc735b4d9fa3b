"""Completions during typing: titles and keywords from the index, places from the gazetteer."""
