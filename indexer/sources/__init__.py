"""How to talk to a catalogue: one file per protocol, each an indexer.raw.Source."""
