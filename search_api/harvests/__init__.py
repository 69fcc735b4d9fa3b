"""What stewards see of the harvests: sources, their runs, and the control that starts and pauses them."""
