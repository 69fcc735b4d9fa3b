"""Which addresses the gate may dial."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Unavailable
from net.addresses import AllowedHosts, is_public, permitted_addresses, system_resolver
from net.errors import Refused


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",  # a cloud's metadata service
        "100.64.0.1",  # carrier-grade NAT
        "192.0.2.1",
        "198.18.0.1",
        "224.0.1.1",
        "239.1.1.1",
        "255.255.255.255",
        "240.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",  # NAT64 of 127.0.0.1
        "2002:7f00:1::1",  # 6to4 of 127.0.0.1
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",  # Teredo
    ],
)
def test_an_address_that_is_not_of_the_open_internet_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "193.0.6.139", "2001:67c:2e8:22::c100:68b", "::ffff:8.8.8.8"])
def test_an_address_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_mapped_into_ipv6_is_judged_the_same(address: object) -> None:
    assert is_public(f"::ffff:{address}") == is_public(str(address))


def test_only_the_public_ones_of_a_mixed_answer_are_dialled() -> None:
    assert permitted_addresses("x.example", 80, ["10.0.0.1", "8.8.8.8", "::1"], AllowedHosts()) == ["8.8.8.8"]


def test_a_named_host_may_be_private_on_the_named_port_only() -> None:
    allowed = AllowedHosts(["Catalogue.Intranet.", "[::1]:9200", "127.0.0.1:8080"])
    assert permitted_addresses("catalogue.intranet", 443, ["10.1.1.1"], allowed) == ["10.1.1.1"]
    assert permitted_addresses("::1", 9200, ["::1"], allowed) == ["::1"]
    assert permitted_addresses("127.0.0.1", 8080, ["127.0.0.1"], allowed) == ["127.0.0.1"]
    with pytest.raises(Refused, match=r"127\.0\.0\.1:8081 is not an address of the open internet"):
        permitted_addresses("127.0.0.1", 8081, ["127.0.0.1"], allowed)


@pytest.mark.parametrize("entry", ["", "http://host", "user@host", "host:port", "host:0", "host:70000"])
def test_an_entry_that_is_no_host_is_refused_at_once(entry: str) -> None:
    with pytest.raises(ValueError, match="is not a host or host:port"):
        AllowedHosts([entry])


def test_an_ipv6_entry_needs_no_brackets_without_a_port() -> None:
    assert ("fd00::5", 80) in AllowedHosts(["fd00::5"])
    assert ("fd00::5", 81) not in AllowedHosts(["[fd00::5]:80"])


@pytest.mark.parametrize("spelling", ["127.1", "2130706433", "0x7f.1", "localhost"])
def test_every_spelling_of_loopback_resolves_to_what_is_refused(spelling: str) -> None:
    addresses = system_resolver(spelling, 80, 5.0)
    with pytest.raises(Refused):
        permitted_addresses(spelling, 80, addresses, AllowedHosts())


def test_an_unknown_name_is_unavailable_and_named() -> None:
    with pytest.raises(Unavailable, match=r"no-such-host\.invalid"):
        system_resolver("no-such-host.invalid", 80, 20.0)
