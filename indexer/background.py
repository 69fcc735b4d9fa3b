"""Threads that keep the context of their caller: its trace, and the ids in its log lines."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Background(ThreadPoolExecutor):
    """A ThreadPoolExecutor that passes on the caller's context."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return super().submit(partial(copy_context().run, fn), *args, **kwargs)
