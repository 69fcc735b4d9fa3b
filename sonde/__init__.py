"""The front door: settings, wiring and the command line."""

import os

__version__ = "0.2.0"

# Before numpy is loaded. Its matrices are small here, and the threads of OpenBLAS spin while they wait: they took half
# of the processor from the models' own threads and from Elasticsearch.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
