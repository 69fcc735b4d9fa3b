"""A proxy to a server that keeps back what passes while a test says so: a server that is there and does not answer."""

from __future__ import annotations

import asyncio
import threading

from lab.chaos.proxies import TcpProxy


class HeldProxy(TcpProxy):
    """Keeps back what passes while ``holding``; ``held`` says that something waits."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.holding, self.held = threading.Event(), threading.Event()

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while piece := await source.read(1 << 16):
            while self.holding.is_set():
                self.held.set()
                await asyncio.sleep(0.02)
            sink.write(piece)
            await sink.drain()
        sink.close()
