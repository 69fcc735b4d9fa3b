"""Builds a new index beside the serving one, compares them, and switches to the new one."""
