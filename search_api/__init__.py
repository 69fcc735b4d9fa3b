"""A query's way out: understanding, retrieval, ranking, answers, and the views that present them."""
