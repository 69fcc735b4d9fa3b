"""The front door: settings, wiring and the command line."""

__version__ = "0.1.0"
