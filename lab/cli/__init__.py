"""The commands of the laboratory: `sonde bench`, `sonde load` and `sonde chaos`."""
