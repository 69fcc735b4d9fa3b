"""What Sonde stores of a harvest: ledger, native bytes, runs, file versions; verified bulk requests."""
