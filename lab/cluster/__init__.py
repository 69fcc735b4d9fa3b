"""`sonde chaos cluster`: the whole service on one machine, its parts killed in turn while it works."""
