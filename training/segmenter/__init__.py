"""The training of the segmenter: sentence boundaries, the classifier for them, and its measures."""
