"""The reranker's training: late interaction over the lower layers of an encoder, calibrated, exported in eight bits."""
