"""What things cost on this machine, measured on the real parts; `sonde bench` prints it. Never a test."""
