"""The only gate for outgoing HTTP: it limits addresses, size and time. Every fetch uses it."""
