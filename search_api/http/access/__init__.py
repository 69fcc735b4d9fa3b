"""Access control: callers by key or token, scopes by view."""
