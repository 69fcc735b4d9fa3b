"""What is asked: the query log, private by design, and what stewards see of it."""
