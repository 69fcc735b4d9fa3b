"""How the service bears many clients at once, on a catalogue made for it; `sonde load` prints it. Never a test."""
