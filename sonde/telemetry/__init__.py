"""Logs, traces, counters and metrics."""
