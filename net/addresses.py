"""Which addresses the gate may connect to: the resolved address decides, never the name."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue

from net.errors import Forbidden, UnknownName

Resolver = Callable[[str, int, float], list[str]]
"""Maps host, port and seconds to addresses; raises Unavailable if there is none."""

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """True for a unicast address of the public internet.

    An IPv4 address embedded in an IPv6 one (mapped, 6to4, NAT64) is checked itself.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])  # fe80::1%eth0: the zone is not part of the address
    inner_address = _inner_ipv4(ip)
    if inner_address is not None:
        return is_public(str(inner_address))
    is_internal = ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_reserved
    if isinstance(ip, ipaddress.IPv6Address) and (ip.is_site_local or ip.teredo is not None):
        return False
    return ip.is_global and not is_internal and not ip.is_unspecified


def _inner_ipv4(ip: IPAddress) -> ipaddress.IPv4Address | None:
    if isinstance(ip, ipaddress.IPv4Address):
        return None
    if ip in _NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


def system_resolver(host: str, port: int, timeout_s: float) -> list[str]:
    """Addresses of a name in the system's order. Stops waiting for the resolver after ``timeout_s``."""
    answers: SimpleQueue[list[str] | None] = SimpleQueue()

    def resolve() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            answers.put(None)
        else:
            answers.put(list(dict.fromkeys(str(info[4][0]) for info in infos)))

    threading.Thread(target=resolve, name="sonde-resolve", daemon=True).start()
    try:
        addresses = answers.get(timeout=max(timeout_s, 0.001))
    except Empty:
        raise UnknownName(f"the name {host} was not resolved within {timeout_s:.0f} s") from None
    if not addresses:
        raise UnknownName(f"the name {host} is not known to the resolver")
    return addresses


class AllowedHosts:
    """Hosts that the operator named in settings, as ``host`` or ``host:port``; these may be private.

    Raises ValueError for an entry of another form.
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._entries = frozenset(_entry(entry) for entry in entries)

    def __contains__(self, target: tuple[str, int]) -> bool:
        host, port = canonical_host(target[0]), target[1]
        return (host, None) in self._entries or (host, port) in self._entries


def canonical_host(host: str) -> str:
    """Lower case, no brackets, no final dot: one spelling per host."""
    return host.strip().strip("[]").rstrip(".").lower()


def _entry(text: str) -> tuple[str, int | None]:
    stripped_address = text.strip()
    if not stripped_address or "/" in stripped_address or "@" in stripped_address:
        raise ValueError(f"{text!r} is not a host or host:port")
    host, colon, port = stripped_address.rpartition(":")
    if (
        not colon
        or stripped_address.endswith("]")
        or (stripped_address.count(":") > 1 and not stripped_address.startswith("["))
    ):
        return canonical_host(stripped_address), None
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f"{text!r} is not a host or host:port")
    return canonical_host(host), int(port)


def permitted_addresses(host: str, port: int, addresses: list[str], allowed_hosts: AllowedHosts) -> list[str]:
    """The resolved addresses that are permitted, in order. Raises Refused if none is."""
    if (host, port) in allowed_hosts:
        return addresses
    public = [address for address in addresses if is_public(address)]
    if not public:
        raise Forbidden(
            f"{host}:{port} is not an address of the open internet; "
            "to allow it, add it to SONDE_NET__ALLOWED_HOSTS, or for an address of a user to SONDE_NET__USER_HOSTS"
        )
    return public
