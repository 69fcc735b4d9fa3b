"""Ports: free ones, and who holds one that is not."""

from __future__ import annotations

import socket

import psutil

from local_stack.errors import PortTaken
from local_stack.settings import Port


def free_port(host: str = "127.0.0.1") -> int:
    """A port that is free now; use it soon, because another process may take it."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def require_free(part: str, port: Port) -> None:
    """Raises PortTaken, naming port, holder and setting, where the port cannot be listened on."""
    family = socket.AF_INET6 if ":" in port.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As servers do: connections that linger after a stop are no reason to refuse.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((port.host, port.number))
        except OSError as error:
            raise PortTaken(port.number, port.setting, _sentence(part, port, error)) from error


def _sentence(part: str, port: Port, error: OSError) -> str:
    return (
        f"{part} needs port {port.number} on {port.host}, which {holder(port.number) or 'cannot be had'} "
        f"({error.strerror}): stop that, or set {port.setting} to a free port"
    )


def holder(port: int) -> str | None:
    """``is held by process 812 (java)``, as far as this account may see it; None if no process seems to listen."""
    try:
        listeners = [
            c for c in psutil.net_connections(kind="tcp") if c.laddr and c.laddr.port == port and c.status == "LISTEN"
        ]
    except psutil.AccessDenied:  # macOS shows connections of others to root only
        return None
    if not listeners:
        return None
    pid = next((c.pid for c in listeners if c.pid is not None), None)
    return f"is held by process {pid} ({_name(pid)})" if pid is not None else "is held by a process of another user"


def _name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "unknown"
