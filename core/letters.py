"""Compares texts by their letters and digits only, so that spaces, hyphens and line breaks do not count."""

from __future__ import annotations


def letters_of(text: str) -> tuple[str, list[int]]:
    """The letters and digits in lower case, and for each the position of its character in the text."""
    letters: list[str] = []
    at: list[int] = []
    for position, character in enumerate(text):
        for letter in character.casefold():
            if letter.isalnum():
                letters.append(letter)
                at.append(position)
    return "".join(letters), at


def place_of(part: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first place in ``text`` with the letters of ``part``; None if there is none."""
    wanted, _ = letters_of(part)
    letters, at = letters_of(text)
    found = letters.find(wanted) if wanted else -1
    return None if found < 0 else (at[found], at[found + len(wanted) - 1] + 1)
