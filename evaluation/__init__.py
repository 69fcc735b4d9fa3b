"""Measures the quality of answers: runs judged collections through the serving pipeline."""
