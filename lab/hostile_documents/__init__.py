"""Documents of an attacker, made by number, and what reading them costs."""
