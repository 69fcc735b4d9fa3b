"""What stewards see of the harvests: sources, their runs, and the desk that starts and pauses them."""
