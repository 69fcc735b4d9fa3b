"""The embedder's training: an encoder, its batches, what it is measured by, and the folder that is written."""
