"""`sonde doctor`: checks every part of an installation."""
