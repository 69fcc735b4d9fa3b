"""Attackers and honest searchers: requests of the attackers, and their effect on the searchers."""
