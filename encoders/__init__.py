"""Implements the ports with real models: sentence-transformers on ONNX Runtime, spaCy, and services behind the gate."""
