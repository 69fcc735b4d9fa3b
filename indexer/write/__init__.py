"""Carries decisions out: verified bulk requests, the ledger written last."""
