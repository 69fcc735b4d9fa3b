"""The ports on real models: sentence-transformers through ONNX Runtime, spaCy, and services behind the gate."""
