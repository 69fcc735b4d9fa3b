"""What operators run and look at: checks, probes, preparation, the stack of one machine."""
