"""A month at a portal's desk, simulated: people who ask and open, stewards, a source that changes, a reindex."""
