"""What data stewards see and do: curation, insight, alerts, harvests, trials of drafts."""
