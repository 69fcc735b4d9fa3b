"""`sonde doctor`: every part of an installation, examined."""
