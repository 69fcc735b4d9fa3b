"""Tunes the memory of a process that serves or harvests: what loading used is given back, what it left is not scanned
again.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_YOUNG, _MIDDLE, _OLD = 10_000, 20, 20
"""One answer, or one document that is read, allocates some thousand lists and dictionaries, all freed with it: with the
default of 700 they would be scanned dozens of times.
"""


def keep_what_is_loaded() -> None:
    """Call this once, after models and gazetteer are loaded.

    A full collection scans all objects: 250 to 350 ms with the models loaded, in the middle of a question. Frozen
    objects are skipped, so that it takes some 20 ms.
    """
    gc.collect()
    if sys.platform == "linux" and hasattr(c_library := ctypes.CDLL(None), "malloc_trim"):  # glibc's
        c_library.malloc_trim(0)
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
