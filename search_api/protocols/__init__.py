"""The standards that clients and harvesters speak: OGC API, STAC, CSW, OAI-PMH, feeds, MCP."""
