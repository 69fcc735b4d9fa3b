"""The segmenter's training: sentence boundaries, the classifier for them, and how well it finds sections."""
