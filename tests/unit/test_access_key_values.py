"""API keys as values: shown once, kept as a hash, ended by time, by hand and by rotation."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.access import NotAuthenticated
from core.errors import InvalidInput
from search_api.http.access.keys import Grant, caller_of, new_key, rotated_key, split_key

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
GRANT = Grant("ada", frozenset(("search", "write")), frozenset(("glaciers",)), NOW + 24 * HOUR)


def test_a_key_speaks_for_its_subject_and_keeps_only_a_hash() -> None:
    key, text = new_key(GRANT, NOW)
    id, secret = split_key(text)
    assert id == key.id
    assert [one.hash for one in key.secrets] == [hashlib.sha256(secret.encode()).hexdigest()]
    assert secret not in repr(key)
    caller = caller_of(key, secret, NOW)
    assert (caller.subject, caller.scopes, caller.groups) == ("ada", {"search", "write"}, {"glaciers"})


def test_two_keys_share_nothing() -> None:
    (one, _), (_, other) = new_key(GRANT, NOW), new_key(GRANT, NOW)
    with pytest.raises(NotAuthenticated, match="not known"):
        caller_of(one, split_key(other)[1], NOW)


def test_who_lacks_the_secret_is_not_told_that_a_key_was_there() -> None:
    ended = replace(new_key(GRANT, NOW)[0], revoked=NOW)
    stranger = split_key(new_key(GRANT, NOW)[1])[1]
    said = []
    for key in (None, ended):
        with pytest.raises(NotAuthenticated) as refused:
            caller_of(key, stranger, NOW)
        said.append(str(refused.value))
    assert said == ["This key is not known."] * 2


@pytest.mark.parametrize(("after", "holds"), [(timedelta(0), True), (24 * HOUR, False), (23 * HOUR, True)])
def test_a_key_ends_with_its_time(after: timedelta, holds: bool) -> None:
    key, text = new_key(GRANT, NOW)
    if holds:
        assert caller_of(key, split_key(text)[1], NOW + after).subject == "ada"
    else:
        with pytest.raises(NotAuthenticated, match="expired"):
            caller_of(key, split_key(text)[1], NOW + after)


def test_a_rotated_secret_holds_for_its_grace_and_the_new_one_on() -> None:
    key, old = new_key(GRANT, NOW)
    after, new = rotated_key(key, HOUR, NOW)
    assert split_key(old)[0] == split_key(new)[0]
    assert caller_of(after, split_key(old)[1], NOW + HOUR / 2).subject == "ada"
    with pytest.raises(NotAuthenticated, match="replaced"):
        caller_of(after, split_key(old)[1], NOW + HOUR)
    assert caller_of(after, split_key(new)[1], NOW + HOUR).subject == "ada"


def test_a_second_rotation_ends_the_oldest_secret_at_once() -> None:
    key, first = new_key(GRANT, NOW)
    once, second = rotated_key(key, HOUR, NOW)
    twice, third = rotated_key(once, HOUR, NOW)
    assert len(twice.secrets) == 2
    with pytest.raises(NotAuthenticated, match="not known"):
        caller_of(twice, split_key(first)[1], NOW)
    assert {caller_of(twice, split_key(text)[1], NOW).subject for text in (second, third)} == {"ada"}


@given(st.text(max_size=90))
def test_no_other_text_is_taken_for_a_key(text: str) -> None:
    with pytest.raises(NotAuthenticated):
        split_key(text)


@pytest.mark.parametrize("spoil", [str.upper, lambda text: text + "x", lambda text: text[:-1], lambda text: f" {text}"])
def test_a_spoilt_key_is_none(spoil) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NotAuthenticated):
        split_key(spoil(new_key(GRANT, NOW)[1]))


@pytest.mark.parametrize(
    "grant",
    [
        Grant("", frozenset(("search",))),
        Grant("public", frozenset(("search",))),  # owns what everybody may read
        Grant("Public ", frozenset(("search",))),
        Grant("a\nb", frozenset(("search",))),
        Grant("ada", frozenset()),
        Grant("ada", frozenset(("root",))),  # type: ignore[arg-type]
        Grant("ada", frozenset(("search",)), frozenset(("",))),
        Grant("ada", frozenset(("search",)), expires=NOW),
    ],
)
def test_a_key_that_could_never_be_used_is_not_made(grant: Grant) -> None:
    with pytest.raises(InvalidInput):
        new_key(grant, NOW)
