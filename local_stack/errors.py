"""What can go wrong on one machine; each message says what to do about it."""

from __future__ import annotations


class StackError(Exception):
    """Something a person can mend; the message says what was wrong and what to do."""


class RequirementMissing(StackError):
    """A program this machine needs (Java, Maven, an unprivileged account) is not there or does not do."""


class FetchFailed(StackError):
    """The Elasticsearch distribution could not be fetched, or is not the one that was asked for."""


class PortTaken(StackError):
    """A port a part needs is held by a process that is not ours; ``setting`` names the setting that moves it."""

    def __init__(self, port: int, setting: str, message: str) -> None:
        super().__init__(message)
        self.port = port
        self.setting = setting


class StartFailed(StackError):
    """A part ended or did not answer in time; ``log_tail`` holds the last lines it wrote."""

    def __init__(self, part: str, message: str, log_tail: str) -> None:
        super().__init__(message)
        self.part = part
        self.log_tail = log_tail
