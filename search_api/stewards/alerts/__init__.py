"""Saved searches tell their owner what is new: matched over each night's records, sent by mail, webhook, Atom."""
