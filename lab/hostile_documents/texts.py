"""Plain text and Markdown: lines, tabs, marks and controls without end."""

from __future__ import annotations

import random

from lab.hostile_documents.kinds import HostileKind


def _random(size: int) -> bytes:
    return "".join(random.Random(1).choices("abc .,-\n#*1(", k=size)).encode()  # noqa: S311  # nosec B311


TEXT_KINDS = (
    HostileKind("text: one-letter lines", lambda n: b"a\n" * n, 2_000_000, 10_000),
    HostileKind("text: one-letter paragraphs", lambda n: b"a\n\n" * n, 1_300_000, 10_000),
    HostileKind("text: lines that end in a hyphen", lambda n: b"ab-\n" * n, 1_000_000, 10_000),
    HostileKind("text: one gigantic line", lambda n: b"The lake is deep. " * n, 250_000, 2_000),
    HostileKind("text: one gigantic word", lambda n: b"a" * n, 4_000_000, 20_000),
    HostileKind("text: one gigantic number", lambda n: b"1234567890" * n, 400_000, 2_000),
    HostileKind("text: one sentence without an end", lambda n: b"and then " * n, 450_000, 2_000),
    HostileKind("text: abbreviations without an end", lambda n: b"e.g. A " * n, 600_000, 2_000),
    HostileKind("text: tabs", lambda n: b"a\tb\t\t\t\tc\n" * n, 400_000, 2_000),
    HostileKind("text: spaces", lambda n: b"a" + b" " * n + b"b\n", 4_000_000, 20_000),
    HostileKind("text: empty lines", lambda n: b"The lake is deep.\n" + b" \n" * n + b"It is cold.", 2_000_000, 10_000),
    HostileKind("text: form feeds", lambda n: b"page\f" * n, 800_000, 4_000),
    HostileKind("text: control codes", lambda n: (b"word" * 1000 + b"\x0b\x1c\x1d\x85\x1b[2J\n") * n, 1_000, 5),
    HostileKind("text: combining marks", lambda n: ("a" + "\u0301" * n).encode(), 2_000_000, 10_000),
    HostileKind("text: invisible characters", lambda n: ("deep \u200b\u200d\u2060" * n).encode(), 300_000, 2_000),
    HostileKind("text: right to left and back", lambda n: ("\u202eabc\u202c def " * n).encode(), 300_000, 2_000),
    HostileKind("text: emoji", lambda n: ("\U0001f9ff" * n).encode(), 1_000_000, 5_000),
    HostileKind("text: Markdown headings", lambda n: b"# a\n" * n, 1_000_000, 5_000),
    HostileKind("text: a heading of number signs", lambda n: b"# " + b"#" * n + b"x\n", 4_000_000, 20_000),
    HostileKind("text: list items", lambda n: b"- a\n" * n, 1_000_000, 5_000),
    HostileKind(
        "text: brackets of digits", lambda n: b"(" + b"1" * n + b"\n\nAda Lovelace(" + b"1 " * n, 100_000, 5_000
    ),
    HostileKind(
        "text: references without an end", lambda n: b"# References\n\n" + b"Smith and others\n\n" * n, 90_000, 1_000
    ),
    HostileKind("text: dots", lambda n: b". " * n, 2_000_000, 10_000),
    HostileKind("text: wrong UTF-16", lambda n: b"\xff\xfe" + b"\x00\xd8" * n, 2_000_000, 10_000),
    HostileKind("text: noise", _random, 3_000_000, 20_000),
)
