"""An operator's tiles below the map: what can be drawn, from settings or from the capabilities of a WMTS."""
