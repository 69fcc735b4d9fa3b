"""Measures cited answers: passages found, refusals, citations, and pages for graders."""
