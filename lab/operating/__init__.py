"""What operators do once in a while, rehearsed on one machine: `python -m lab.operating`."""
