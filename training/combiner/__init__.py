"""Learns how signals become one score, from judged questions."""
