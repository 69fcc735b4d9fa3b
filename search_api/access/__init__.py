"""Who may do what: callers by key or token, scopes by view."""
