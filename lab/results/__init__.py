"""What was measured for a release, as data: tables in ``results/VERSION``, and their figures in the guides."""
