"""Builds parts from the settings: the only package that connects packages that do not know each other."""
