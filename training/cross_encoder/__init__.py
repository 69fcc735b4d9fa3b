"""Trains a cross-encoder: weights, learner, export."""
