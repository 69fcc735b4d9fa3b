"""The front door: settings, wiring and the command line."""

__version__ = "0.2.0.dev0"
