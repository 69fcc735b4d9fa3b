"""Cited answers from passages: retrieve, judge, answer (by a model or by quoting), check every citation, or refuse."""
