"""One run over a source: fetch, plan, write, sweep, report."""
