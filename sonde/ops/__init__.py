"""Tools for operators: checks, probes, preparation, the one-machine stack."""
