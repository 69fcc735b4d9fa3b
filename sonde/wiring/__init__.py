"""Parts made from the settings and handed in: the one place where packages that do not know each other meet."""
