"""Blocks to passages: ``passages.segment`` splits each section until its pieces fit the embedder."""
