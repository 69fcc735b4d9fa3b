"""What `sonde train` is made of."""
