"""What `sonde evaluate` and `sonde ask-evaluate` are made of."""
