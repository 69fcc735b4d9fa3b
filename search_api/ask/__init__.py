"""Cited answers from passages: retrieve, judge, answer (by a model or by quotes), check every citation, or refuse."""
