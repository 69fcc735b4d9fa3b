"""Draws the questions of ``typed`` from the names that records give themselves, with a fixed seed."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from tests.quality.typed_bytes import Said
from tests.quality.typed_names import Name, names_of, pairs_of, versions_of, words_of
from tests.quality.typed_rule import Borne, Typed, Wanted, bearers_of, compact, grades_of, is_across, tokens, wanted_of

SEED = 16
COUNTS = {
    "exact": 110, "beginning": 110, "separators": 80, "version": 44, "sentence": 90, "acronym": 44, "words": 44,
    "misspelt": 66,
}  # fmt: skip
MOST_RIGHT = 80  # records that bear a name; what more bear is no longer a question for one thing
MOST_TYPED = 6  # records that bear the typed form of an acronym question: the others must fit in the first ten
SMALL_SHARE = 0.2  # of the records that bear a name, that may write it as an ordinary word
STEM = 3
DRAFTED = 8  # times as many as are kept
_SHARES = {"ncar_eol": 0.4, "ncar_rda": 0.25, "samples": 0.2, "format_fixtures": 0.15}
_SENTENCES = (
    "{name} data", "{name} {word}", "{word} {name}", "{word} from {name}", "{name} {word} {other}",
    "download {name} {word}",
    "where can I find {name} {word} data", "{word} and {other} measured by {name}", "{name} netcdf files of {word}",
    "what is the {word} in {name}",
)  # fmt: skip
_LETTERS = re.compile(r"(?<=.)[^\W\d_]{2}")
_VERSIONS = (
    "{name} v{version}",
    "{name} version {version}",
    "{name} {version}",
    "{name}.v{version}",
    "{name} V{padded}",
)


@dataclass(frozen=True, slots=True)
class _Pool:
    """What can be asked for. ``borne``: what each record bears of all names in it."""

    catalogue: Mapping[str, Said]
    names: Mapping[str, Name]
    borne: Mapping[str, Borne]
    bearers: Mapping[str, frozenset[str]]
    words: Mapping[str, set[str]]
    stated: Mapping[tuple[str, str], Counter[str]]
    random: random.Random

    def titled(self, key: str) -> list[str]:
        return sorted(record for record in self.bearers[key] if key in self.borne[record].named)


def draw(catalogue: Mapping[str, Said]) -> tuple[list[Typed], Mapping[str, Borne]]:
    """The questions in the order of their kinds, and what each record bears of what they ask for."""
    pool = _pool(catalogue)
    makers: Mapping[str, Callable[[_Pool], Iterator[Typed]]] = {
        "exact": _exact, "beginning": _beginnings, "separators": _separators, "version": _versions,
        "sentence": _sentences, "acronym": _acronyms, "words": _acronym_words, "misspelt": _misspelt,
    }  # fmt: skip
    drafts: dict[str, Typed] = {}
    for kind, make in makers.items():
        for one in islice(make(pool), DRAFTED * COUNTS[kind]):
            drafts.setdefault(one.text.lower(), one)
    kept, borne = _kept(list(drafts.values()), catalogue)
    groups = _groups(kept)
    return [replace(one, id=f"typed-{n:03}", group=groups[n - 1]) for n, one in enumerate(kept, 1)], borne


def half_of_group(group: str) -> str:
    """The first bit of the SHA-256 of the group decides."""
    return "test" if hashlib.sha256(group.encode()).digest()[0] & 128 else "train"


def _kept(asked: Sequence[Typed], catalogue: Mapping[str, Said]) -> tuple[list[Typed], dict[str, Borne]]:
    """The first of each kind that have a right answer, not too many, and ask for what is nowhere written so."""
    wanted = wanted_of([*asked, *(replace(one, bears=(compact(one.text),)) for one in asked)])
    borne = {record: wanted.borne_by(said) for record, said in catalogue.items()}
    bearers = bearers_of(borne)
    kept: list[Typed] = []
    counts: Counter[str] = Counter()
    for one in asked:
        if counts[one.kind] < COUNTS[one.kind] and _is_fair(one, borne, bearers):
            counts[one.kind] += 1
            kept.append(one)
    return kept, borne


def _is_fair(question: Typed, borne: Mapping[str, Borne], bearers: Mapping[str, Set[str]]) -> bool:
    grades = grades_of(question, borne, bearers)
    if 2 not in grades.values() or len(grades) > MOST_RIGHT:
        return False
    if question.kind in ("beginning", "misspelt") and compact(question.text) in bearers:
        return False
    return not question.typed or _reaches_across(question, borne, grades)


def _reaches_across(question: Typed, borne: Mapping[str, Borne], grades: Mapping[str, int]) -> bool:
    across = sum(is_across(question, borne[record]) for record in grades)
    return 0 < len(grades) - across <= MOST_TYPED and across > 0


def _pool(catalogue: Mapping[str, Said]) -> _Pool:
    names = names_of(catalogue)
    wanted = Wanted(names)
    borne = {record: wanted.borne_by(said) for record, said in catalogue.items()}
    bearers: dict[str, set[str]] = {key: set() for key in names}
    small: dict[str, int] = dict.fromkeys(names, 0)
    for record, found in borne.items():
        for key in found.named | found.said:
            bearers[key].add(record)
        for key in found.small:
            small[key] += 1
    fit = {
        key: frozenset(found)
        for key, found in bearers.items()
        if 1 <= len(found) <= MOST_RIGHT and (small[key] <= SMALL_SHARE * len(found) or not key.isalpha())
    }
    kept = {key: names[key] for key in sorted(fit)}
    return _Pool(catalogue, kept, borne, fit, words_of(catalogue), pairs_of(catalogue), random.Random(SEED))


def _some(pool: _Pool, fit: Callable[[str, Name], bool] = lambda *_: True) -> Iterator[str]:
    """Names in a seeded order, by turns from each source in its share, and from each role in turn within it."""
    queues: dict[str, list[str]] = {}
    for source in _SHARES:
        queues[source] = _mixed(
            pool, [key for key, name in pool.names.items() if _home(name) == source and fit(key, name)]
        )
    while any(queues.values()):
        left = [source for source in _SHARES if queues[source]]
        source = pool.random.choices(left, [_SHARES[one] for one in left])[0]
        yield queues[source].pop()


def _home(name: Name) -> str:
    return min(name.sources, key=lambda source: (-name.sources[source], source))


def _mixed(pool: _Pool, keys: list[str]) -> list[str]:
    """Shuffled, the roles by turns, the last first to be taken; numbered identifiers are a sixth of them."""
    by_role: dict[str, list[str]] = {}
    for key in keys:
        name = pool.names[key]
        role = min(name.roles, key=lambda role: (-name.roles[role], role))
        number = role == "identifier" and re.fullmatch(r"[a-z]?\d+[a-z]?\d*", key)
        by_role.setdefault("number" if number else role, []).append(key)
    for queue in by_role.values():
        pool.random.shuffle(queue)
    mixed: list[str] = []
    turns = ("title", "identifier", "title", "campaign", "platform", "title", "instrument", "number")
    while any(by_role.values()):
        mixed += [by_role[role].pop() for role in turns if by_role.get(role)]
    return mixed[::-1]


def _exact(pool: _Pool) -> Iterator[Typed]:
    for key in _some(pool):
        form = pool.names[key].form
        yield _typed("exact", pool.random.choice((form, form, form.lower(), form.upper())), (key,))


def _separators(pool: _Pool) -> Iterator[Typed]:
    """Other separators, or none, between the parts of a name that has two or three of them."""
    for key in _some(pool, lambda _, name: 2 <= len(_pieces(name.form)) <= 3):
        form = pool.names[key].form
        others = {joint.join(_pieces(form)) for joint in ("", " ", "-", "_", ".", " - ")}
        others -= {one for one in others if one.lower() in {written.lower() for written in pool.names[key].written}}
        if others:
            text = pool.random.choice(sorted(others))
            yield _typed("separators", pool.random.choice((text, text.lower(), text.upper())), (key,))


def _pieces(form: str) -> list[str]:
    return re.findall(r"[A-Za-z]+|\d+", form)


def _beginnings(pool: _Pool) -> Iterator[Typed]:
    """By turns of a name (four letters and digits at least, the last one at least left out) and of an ordinary word."""
    words = sorted(word for word, found in pool.words.items() if len(word) >= 8 and 2 <= len(found) <= 60)
    pool.random.shuffle(words)
    for key in _some(pool, lambda key, _: len(key) >= 6 and not key.isdigit()):
        end = pool.random.randint(4, min(len(key) - 1, 7))
        begun = tuple(sorted(name for name in pool.names if name.startswith(key[:end])))
        yield replace(_typed("beginning", _start_of(pool.names[key].form, end), begun), begins=key[:end])
        if words and pool.random.random() < 0.7:
            word = words.pop()
            end = pool.random.randint(5, len(word) - 2)
            yield replace(_typed("beginning", word[:end], ()), begins=word[:end])


def _start_of(form: str, count: int) -> str:
    """The form up to its ``count``-th letter or digit."""
    seen = 0
    for position, char in enumerate(form):
        seen += char.isalnum()
        if seen == count:
            return form[: position + 1].lower()
    return form.lower()


def _versions(pool: _Pool) -> Iterator[Typed]:
    found = sorted((name, version) for name, version in versions_of(pool.catalogue) if compact(name) in pool.names)
    pool.random.shuffle(found)
    seen: dict[str, int] = {}
    for name, version in found:
        key, digits = compact(name), compact(version)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 2:
            continue
        template = pool.random.choice(_VERSIONS)
        padded = version.zfill(3) if version.isdigit() else version
        text = template.format(name=pool.names[key].form, version=version, padded=padded)
        spelt = tuple(f"{word}{digits}" for word in ("v", "version", "ver"))
        yield replace(_typed("version", text, (key,)), version=spelt)


def _sentences(pool: _Pool) -> Iterator[Typed]:
    for key in _some(pool, lambda key, _: not key.isdigit()):
        titled = pool.titled(key)
        if not titled:
            continue
        title = " ".join(pool.catalogue[pool.random.choice(titled)].titles)
        words = [word for word in tokens(title) if len(word) >= 5 and word.isalpha() and word not in key]
        words = [word for word in dict.fromkeys(words) if word in pool.words]
        if len(words) >= 2:
            word, other = pool.random.sample(words, 2)
            template = pool.random.choice(_SENTENCES)
            yield _typed("sentence", template.format(name=pool.names[key].form, word=word, other=other), (key,))


def _acronyms(pool: _Pool) -> Iterator[Typed]:
    for short, long in _pairs(pool):
        yield replace(_both("acronym", short, long, short), typed=compact(short))


def _acronym_words(pool: _Pool) -> Iterator[Typed]:
    for short, long in _pairs(pool):
        yield replace(_both("words", short, long, long.lower()), typed=compact(long))


def _both(kind: str, short: str, long: str, text: str) -> Typed:
    words = compact(long)
    return _typed(kind, text, (compact(short), words, f"{words}s"))


def _pairs(pool: _Pool) -> Iterator[tuple[str, str]]:
    """Stated by two records and more, or in the form of a keyword; acronyms with one reading only."""
    readings: dict[str, set[str]] = {}
    for short, long in pool.stated:
        readings.setdefault(compact(short), set()).add(compact(long).removesuffix("s"))
    fit = sorted(
        (short, long) for (short, long), records in pool.stated.items() if len(records) >= 2 and _one(readings, short)
    )
    pool.random.shuffle(fit)
    seen: set[str] = set()
    for short, long in fit:
        if compact(short) not in seen:
            seen.add(compact(short))
            yield short, long


def _one(readings: Mapping[str, set[str]], short: str) -> bool:
    return len(readings[compact(short)]) == 1


def _misspelt(pool: _Pool) -> Iterator[Typed]:
    """One slip of the keys in the letters of a name of six letters and more, or of a word of a title."""
    words = sorted(word for word, found in pool.words.items() if len(word) >= 7 and 2 <= len(found) <= 60)
    pool.random.shuffle(words)
    for key in _some(pool, lambda key, name: sum(map(str.isalpha, key)) >= 6 and bool(_LETTERS.search(name.form))):
        yield _typed("misspelt", _slip(pool.random, pool.names[key].form.lower()), (key,))
        if words:
            word = words.pop()
            yield _typed("misspelt", _slip(pool.random, word), (word,))


def _slip(chance: random.Random, text: str) -> str:
    """A letter left out, doubled, or changed for the next one; never the first letter of the text."""
    places = [at for at in range(1, len(text) - 1) if text[at].isalpha() and text[at + 1].isalpha()]
    at = chance.choice(places)
    slips = [text[:at] + text[at + 1 :], text[:at] + text[at] * 2 + text[at + 1 :]]
    slips.append(text[:at] + text[at + 1] + text[at] + text[at + 2 :])
    return chance.choice([one for one in slips if one != text])


def _typed(kind: str, text: str, bears: tuple[str, ...]) -> Typed:
    return Typed("", text, kind, "", bears)


def _groups(drafts: Sequence[Typed]) -> list[str]:
    """A group for each question: those that ask for one name, for its beginning, or for names of one stem."""
    parent: dict[str, str] = {}

    def root(mark: str) -> str:
        parent.setdefault(mark, mark)
        while parent[mark] != mark:
            mark = parent[mark]
        return mark

    marks = [sorted(_marks(one)) for one in drafts]
    for found in marks:
        for mark in found[1:]:
            parent[root(mark)] = root(found[0])
    known = sorted({mark for found in marks for mark in found})
    for name in known:
        for end in range(STEM + 1, len(name)):
            if name[:end] in parent:
                parent[root(name)] = root(name[:end])
    smallest: dict[str, str] = {}
    for mark in known:
        smallest.setdefault(root(mark), mark)
    return [smallest[root(found[0])] for found in marks]


def _marks(question: Typed) -> set[str]:
    """Names and their stems without the digits behind them; numbers have themselves alone."""
    names = {*question.bears, question.begins, question.typed} - {""}
    stems = {re.split(r"\d", name, maxsplit=1)[0] for name in names}
    return names | {stem for stem in stems if len(stem) >= STEM}
