"""What a release consists of, made into one folder by `make release`: `python -m lab.release`."""
