"""Values that no client should send: texts, numbers, boxes, times, CQL2, JSON. All drawn from one ``Random``."""

from __future__ import annotations

import json
from random import Random

from core.json_types import Json

TEXTS = (
    "",
    " ",
    "\x00",
    "rain\x00fall",
    "\x1b[31m",
    "\u202eabc",
    "\ufeff",
    "\u0300" * 300,
    "🌧" * 500,
    "%",
    "%zz",
    "../../../etc/passwd",
    "..%2f..%2f",
    "'",
    '"',
    "\\",
    "'; DROP TABLE records; --",
    "<script>alert(1)</script>",
    "${jndi:ldap://127.0.0.1/a}",
    "{{7*7}}",
    "null",
    "undefined",
    "NaN",
    "true",
    "[]",
    "{}",
    "*",
    "?",
    "~",
    "^99",
    "AND OR NOT",
    "(" * 200,
    "title:(rain",
    "/[/",
    "a" * 9_000,
    "rain " * 500,
    "\r\nX-Injected: 1",
    "all",
    "_all",
    "_search",
    "-1",
    "0",
    "1e309",
    "9" * 400,
    "٣",
    "１２",
    "1_000",
    "0x10",
)
_NUMBERS = (
    "0",
    "-0",
    "1",
    "10",
    "-180",
    "180",
    "180.0000001",
    "-91",
    "1e999",
    "-1e999",
    "1e-400",
    "nan",
    "inf",
    "-inf",
)
_MORE_NUMBERS = (
    "",
    " ",
    "x",
    "1,",
    "٣",
    "1_0",
    "0x10",
    "+1",
    "9" * 300,
    "1e",
    "--1",
    "5e-324",
    "1.7976931348623157e308",
)
_TIMES = ("2001-02-03T04:05:06Z/..", "2001/2010", "2001-W53-7", "P1Y/2001", "2001-02-03T24:00:00Z", "../..", "..", "/")
_MORE_TIMES = (
    "0000",
    "-0001-01-01/..",
    "99999-01-01",
    "2001-02-30",
    "2016-12-31T23:59:60Z",
    "2001-01-01T00:00:00+99:99",
)
_OPERATORS = (
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "LIKE",
    "IN",
    "BETWEEN",
    "IS NULL",
    "NOT",
    "AND",
    "OR",
    "+",
    "/",
    "%",
    "^",
)
_GOOD_CQL2 = (
    "title LIKE 'rain%'",
    "type = 'dataset' AND NOT title = 'x'",
    "S_INTERSECTS(geometry, POLYGON((0 0, 1 0, 1 1, 0 0)))",
    "S_INTERSECTS(geometry, BBOX(170, -10, -170, 10))",
    "T_AFTER(datetime, TIMESTAMP('2001-01-01T00:00:00Z'))",
    "T_DURING(datetime, INTERVAL('2001-01-01', '..'))",
    "type IN ('dataset', 'series')",
    "title IS NULL",
    "CASEI(title) LIKE CASEI('RAIN%')",
    "created BETWEEN DATE('2001-01-01') AND DATE('2002-01-01')",
)
_NAMES = ("title", "type", "created", "geometry", "datetime", "resolution", "nonsense", '"quoted"', "a.b", "id", "")
_WORDS = ("'rain'", "1", "-1.5e308", "DATE('2001-01-01')", "TIMESTAMP('x')", "INTERVAL('..','2001')", "''''", "NULL")
_SHAPES = ("POINT(1 1)", "POINT(nan 1)", "POLYGON((0 0,1 1))", "BBOX(1,2,3)", "POLYGON EMPTY", "GEOMETRYCOLLECTION()")
_CALLS = (
    "S_INTERSECTS",
    "S_WITHIN",
    "T_AFTER",
    "T_DURING",
    "A_CONTAINS",
    "CASEI",
    "ACCENTI",
    "nofunction",
    "S_DISJOINT",
)


def text(random: Random) -> str:
    """One of the known troublemakers, or letters of all of Unicode."""
    if random.random() < 0.7:
        return random.choice(TEXTS)
    return "".join(
        chr(random.choice((random.randrange(0xD800), random.randrange(128)))) for _ in range(random.randrange(40))
    )


def bbox(random: Random) -> str:
    """Any number of numbers and other values with random separators; a third are boxes with one wrong corner."""
    if random.random() < 0.35:
        corners = random.choice((["170", "-10", "-170", "10"], ["6", "45", "8", "48"], ["-180", "-90", "180", "90"]))
        corners[random.randrange(4)] = random.choice(_NUMBERS)
        return ",".join(corners)
    count = random.choice((0, 1, 3, 4, 4, 4, 4, 5, 6, 8, 2_000))
    separator = random.choice((",", ",", ",", ",", ";", ", ", ",,", "|"))
    return separator.join(random.choice(_NUMBERS + _MORE_NUMBERS) for _ in range(count))


def datetime(random: Random) -> str:
    """A time with up to three letters changed, or two of them as a span."""
    moment = mutate(random, random.choice(_TIMES + _MORE_TIMES))
    return moment if random.random() < 0.7 else f"{moment}/{random.choice(_TIMES + _MORE_TIMES)}"


def mutate(random: Random, word: str, limit: int = 3) -> str:
    """With up to ``limit`` letters left out, doubled or replaced."""
    letters = list(word)
    for _ in range(random.randrange(limit + 1)):
        if not letters:
            break
        place = random.randrange(len(letters))
        letters[place] = random.choice(("", letters[place] * 2, chr(random.randrange(32, 0x2FF)), "9", "-", "/"))
    return "".join(letters)


def cql2_text(random: Random, depth: int = 0) -> str:
    """Something like an expression; now and then one that is far too deep."""
    if depth == 0 and random.random() < 0.06:
        deep = random.choice((50, 500, 2_000))
        return random.choice(("NOT " * deep + "title = 'a'", "(" * deep + "title = 'a'" + ")" * deep))
    kind = random.random()
    if kind > 0.7:
        return random.choice(_GOOD_CQL2) if random.random() < 0.6 else mutate(random, random.choice(_GOOD_CQL2))
    if depth < 5 and kind < 0.3:
        inside = (cql2_text(random, depth + 1) for _ in range(2))
        return f" {random.choice(_OPERATORS)} ".join(f"({expression})" for expression in inside)
    if kind < 0.5:
        args = ", ".join(random.choice(_NAMES + _WORDS + _SHAPES) for _ in range(random.randrange(4)))
        return f"{random.choice(_CALLS)}({args})"
    comparison = f"{random.choice(_NAMES)} {random.choice(_OPERATORS)} {random.choice(_WORDS + _SHAPES)}"
    return mutate(random, comparison) if random.random() < 0.4 else comparison


def cql2_json(random: Random) -> str:
    """A tree of operators with arguments of any kind, as JSON."""
    return json.dumps(_operation(random, 0))


def _operation(random: Random, depth: int) -> object:
    if depth > 4 or random.random() < 0.2:
        return any_value(random, 3)
    op = random.choice((*_OPERATORS, "and", "or", "not", "s_intersects", "t_after", "in", "between", "isNull", 7, None))
    args = [
        random.choice((_operation(random, depth + 1), {"property": random.choice(_NAMES)}))
        for _ in range(random.randrange(4))
    ]
    return {"op": op, "args": random.choice((args, args, args, {}, "title", None))}


def any_value(random: Random, depth: int = 4) -> object:
    """A value of any JSON type, nested up to ``depth``."""
    kind = random.randrange(9 if depth else 6)
    if kind < 6:
        values: tuple[object, ...] = (
            None,
            True,
            random.choice((0, -1, 10**400, 2**63, 1.5e308)),
            text(random),
            "",
            1e-300,
        )
        return values[kind]
    if kind == 6:
        return [any_value(random, depth - 1) for _ in range(random.randrange(5))]
    return {text(random)[:60]: any_value(random, depth - 1) for _ in range(random.randrange(5))}


def json_bytes(random: Random, valid: Json) -> bytes:
    """The known body with members of the wrong kind, left out or added; or no JSON at all."""
    kind = random.random()
    if kind < 0.08:
        deep = random.choice((100, 5_000, 100_000))
        return random.choice((b"[" * deep, b"[" * deep + b"]" * deep, b'{"a":' * deep))
    if kind < 0.2:
        return random.choice(
            (b"", b"{", b"\xff\xfe", b'"\\ud800"', b"NaN", b"[1,]", b"\x00", b'{"a":1,"a":2}', b"1e99999")
        )
    body = dict(valid)
    for _ in range(random.randrange(4)):
        name = random.choice((*valid, text(random)[:40]))
        if random.random() < 0.15:
            body.pop(name, None)
        else:
            body[name] = any_value(random)
    content = json.dumps(body, ensure_ascii=random.random() < 0.5, allow_nan=True)
    return content.encode("utf-8", "surrogatepass")
