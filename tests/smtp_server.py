"""A real SMTP server that keeps what it takes, and can refuse."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller


@dataclass
class Mailbox:
    """``answer``: what the server says to the next mails; it keeps those that it takes."""

    mails: list[EmailMessage] = field(default_factory=list)
    answer: str = "250 OK"
    port: int = 0

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.answer.startswith("250"):
            mail = message_from_bytes(envelope.content, policy=policy.default)
            assert isinstance(mail, EmailMessage)
            self.mails.append(mail)
        return self.answer


@contextmanager
def smtp_server() -> Iterator[Mailbox]:
    """On a free port of 127.0.0.1; ends with the block."""
    box = Mailbox()
    with socket.create_server(("127.0.0.1", 0)) as free:
        box.port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    try:
        yield box
    finally:
        controller.stop()
