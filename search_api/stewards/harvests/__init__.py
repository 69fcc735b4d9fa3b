"""Harvests for stewards: sources, their runs, and the control to start and pause them."""
