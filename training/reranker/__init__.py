"""The training of the reranker: late interaction on the lower layers of an encoder, calibration, export in eight
bits.
"""
