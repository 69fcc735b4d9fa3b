"""A proxy to a server that can be cut and slowed while others talk over it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from urllib.parse import urlsplit

_CHUNK = 1 << 16


class TcpProxy:
    """Forwards TCP to a server. ``delay_s``: added to each piece that passes, either way."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (str(target.hostname), target.port or 80)
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._port = 0
        self.delay_s = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def mend(self) -> None:
        """Takes connections, at the same port as before."""
        self._do(self._listen())

    def cut(self) -> None:
        """Ends every connection and refuses new ones."""
        self._do(self._close())

    async def _listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = {writer}
        try:
            there, back = await asyncio.open_connection(*self._target)
            ends.add(back)
            self._open |= ends
            await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        except OSError:
            return  # refused or reset: what the caller sees is the same
        finally:
            self._open -= ends
            for end in ends:
                end.close()

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while piece := await source.read(_CHUNK):
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            sink.write(piece)
            await sink.drain()
        sink.close()

    def _do(self, work: Coroutine[object, object, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    @contextlib.contextmanager
    def running(self) -> Iterator[TcpProxy]:
        thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        thread.start()
        try:
            self.mend()
            yield self
        finally:
            self.cut()
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
