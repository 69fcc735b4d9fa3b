"""The garbage collector of a process that serves: what was loaded at start is not looked through again and again."""

from __future__ import annotations

import gc

_YOUNG, _MIDDLE, _OLD = 10_000, 20, 20
"""One answer holds some thousand lists and dictionaries, all of them gone with it: by the usual 700 they would be
looked through dozens of times."""


def keep_what_is_loaded() -> None:
    """To be called once, when models and gazetteer are there.

    A full collection looks at every object there is: 250 to 350 ms with the models loaded, in the midst of a question.
    Frozen objects are left out, so that one takes some 20 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
