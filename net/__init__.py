"""The one gate for outgoing HTTP: which addresses, how much, how long. Every fetch of ours passes it."""
