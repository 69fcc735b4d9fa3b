"""How good cited answers are: passages found, refusals, what is cited, and pages for people who grade."""
