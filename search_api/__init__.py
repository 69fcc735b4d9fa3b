"""The query flow: understanding, retrieval, ranking, answers, and the views that present them."""
