"""What people asked and opened: the log, and what ranking learns from it."""
