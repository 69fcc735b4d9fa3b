"""Harvests of a catalogue that misbehaves, and what is in the index afterwards."""
