"""The embedded gazetteer: maps a name to places with boxes, without a network."""

from reading.gazetteer.gazetteer import Gazetteer, Named

__all__ = ["Gazetteer", "Named"]
