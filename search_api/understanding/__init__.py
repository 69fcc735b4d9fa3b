"""A question read as what, where and when."""
