"""The training of the embedder: encoder, batches, measures, and export."""
