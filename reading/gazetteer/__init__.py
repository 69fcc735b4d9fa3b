"""The embedded gazetteer: a name to places with boxes, without any network."""

from reading.gazetteer.gazetteer import Gazetteer, Named

__all__ = ["Gazetteer", "Named"]
