"""Sentences of a text, and its language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

import structlog

Range = tuple[int, int]  # start, end (exclusive), offsets into the original text


def lower_case(text: str) -> str:
    """The text in lower case with unchanged offsets; a letter with a longer lower case form is unchanged."""
    lower_text = text.lower()
    if len(lower_text) == len(text):
        return lower_text
    return "".join(lower_letter if len(lower_letter := letter.lower()) == 1 else letter for letter in text)


def alternatives(words: Iterable[str]) -> str:
    """The words as a part of a pattern, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


def is_within(part: Range, ranges: Iterable[Range]) -> bool:
    """Whether one of the ranges contains all of it."""
    for start, end in ranges:  # noqa: SIM110 - of each word of a question: a generator takes twice the time
        if start <= part[0] and part[1] <= end:
            return True
    return False


class Claims:
    """The characters of a text that already have a meaning; the first reading of a range wins.

    One byte per character, so that a long text with thousands of numbers costs no more per number than a short one.
    """

    def __init__(self, length: int) -> None:
        self._taken = bytearray(length)

    def claim(self, place: Range) -> bool:
        """Claims the range if all of it is free; otherwise returns False and changes nothing."""
        if not self.is_free(place):
            return False
        self.block(place)
        return True

    def is_free(self, place: Range) -> bool:
        """Whether no character of the range is claimed."""
        return self._taken.find(1, *place) < 0

    def block(self, place: Range) -> None:
        """Claims the range, free or not."""
        start, end = place
        self._taken[start:end] = b"\x01" * (end - start)


_END = re.compile(r"(?<=[.!?…])[\"”’»)\]]*\s+(?=[\"“‘«(\[]*[^\W_a-zäöüéèàçß])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|et al|fig|figs|eq|eqs|tab|sec|ch|no|nos|vol|pp?|approx|ca|resp|dr|prof|mr|mrs|st|mt|"
    r"inc|corp|co|ltd|dept|univ|ed|eds|vs|etc|z\.b|d\.h|u\.a|bzw|nr|abb|vgl|u\.s|jan|feb|mar|apr|jun|jul|aug|sept?|"
    r"oct|nov|dec|proc|int|conf|ref|refs|spp?|subsp|var|max|min|avg|temp|lat|lon|long|elev|op|cit)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_LONGEST_END = 40  # characters: no more of a sentence is needed to see whether it ends
_ENUMERATION = re.compile(r"(?:^|\s)\(?(?:\d{1,2}|[a-z])[.)]$")


def sentences(text: str) -> list[str]:
    """In order; joined by single spaces they give the text again (with normalised white space)."""
    results: list[str] = []
    start = 0
    for match in _END.finditer(text):
        head = text[max(start, match.start() - _LONGEST_END) : match.start()].rstrip()
        if _continues_sentence(head, text[match.end() : match.end() + 1]):
            continue
        results.append(text[start : match.start()].rstrip() + match[0].rstrip())
        start = match.end()
    final_text = text[start:].strip()
    return [*results, final_text] if final_text else results


def _continues_sentence(head: str, text_after: str) -> bool:
    """Whether the full stop belongs to an abbreviation, an initial or a number before a name."""
    if not head.endswith("."):
        return False
    if len(head) < 6 and _ENUMERATION.search(head):
        return True
    if head.lower().endswith("etc.") or head.lower().endswith("al."):
        return not text_after.isupper() or head.lower().endswith("et al.")
    return _ABBREVIATION.search(head) is not None and not _is_word_end(head)


def _is_word_end(head: str) -> bool:
    """Whether the letter is a unit after a number or a slash, and can end a sentence: ``a depth of 12 m.``, ``3
    mg/l.``
    """
    return re.search(r"(?:\d\s?|/)[A-Za-z]\.$", head) is not None


def word_set(text: str) -> frozenset[str]:
    """The words of a text without signs."""
    return frozenset(text.split())


# Articles, prepositions and conjunctions: dropped beside a removed place or time.
JOINING_WORDS = word_set(
    """a an the of in on at to from for by with within over across around about near during and or but as into onto off
    between along per that which is are was were
    der die das den dem des ein eine einer eines einem einen in im am an auf aus bei beim für fur von vom zu zum zur mit
    und oder über uber um nach während wahrend zwischen entlang seit
    le la les l d un une des du de en dans sur sous au aux à pour par avec et ou entre vers chez depuis
    el los las lo del al y e o u con por para sobre sin entre desde hacia
    il gli i uno una di da dal dalla dai negli dei degli delle della dello dell su sul sulla nel nella nei nelle nell
    tra fra per con ed
    os as um uma do dos das no na nos nas ao aos pelo pela em com por entre"""
)

# A question with only these words asks for nothing: "what is it", "wie viele gibt es".
EMPTY_WORDS = JOINING_WORDS | word_set(
    """what where when who whom whose why how much many any some all there here this these those it its be been being
    do does did has have had can could would should will may might i we you they he she me us my our your their not no
    show find give get tell list please want need
    was wo wann wer warum wie viel viele gibt es ist sind war waren welche welcher welches ich wir sie er mir uns nicht
    zeige finde
    quoi où quand qui que quel quelle quels quelles comment combien est sont il elle nous vous je ne pas y a
    qué que dónde donde cuándo cuando quién quien cuál cual cuáles cómo como cuánto cuánta hay es son está están no
    che cosa dove quando chi quale quali come quanto quanta quanti quante è sono c non
    onde quem qual quais quanto quanta há são está não"""
)


LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
LEAST_CONFIDENCE = 0.87
"""Below this the answer is None; chosen on 30 questions of two to seven words, with every wrong guess below it."""
_LONGEST_CHARACTERS = 600  # more does not change the answer
_REMEMBERED_TEXTS = 256

# Small words that identify the language of texts too short for letter statistics: by letters, "rain gauges in Africa"
# looks French. A word in several languages counts for each of them.
_SMALL_WORD_LISTS = {
    "en": "the of in on at from for by with over and or to is are was what how as do no it this that not without near "
    "except winter summer spring autumn",
    "de": "der die das den dem des im in am an auf von vom zum zur für mit und oder ist sind seit ohne außer nahe bei "
    "winter sommer frühling herbst",
    "fr": "le la les des du de en dans sur au aux et ou pour par avec est sont depuis sans sauf près hiver été "
    "printemps automne",
    "es": "el la los las del de al y o con por para en desde sobre entre sin salvo excepto cerca invierno verano "
    "primavera otoño",
    "it": "il lo la gli di del dei della delle nel nella in su per con e da tra dal dalla senza tranne vicino inverno "
    "estate primavera autunno",
    "pt": "o os do da dos das de no na nos nas em com por para e entre desde ao aos pela pelo sem exceto perto inverno "
    "verão primavera outono",
}
SMALL_WORDS = {code: frozenset(words.split()) for code, words in _SMALL_WORD_LISTS.items()}
_LANGUAGES_OF = {
    word: [code for code, words in SMALL_WORDS.items() if word in words]
    for word in frozenset().union(*SMALL_WORDS.values())
}

_WORD = re.compile(r"[^\W\d_]+")

_log = structlog.get_logger()


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of one of LANGUAGES, None if the text is too short or too mixed to be sure.

    By letter n-grams (lingua, its small models): 22 MB, 0.1 s at the first call, then 0.05 ms for a question. If the
    text's small words indicate other languages more often, theirs, or None if there are several. Only by small words if
    the optional package ``lingua-language-detector`` is not installed.
    """
    if not any(map(str.isalpha, text)):
        return None
    sample = text[:_LONGEST_CHARACTERS]
    by_letters, by_words = _detector()(sample), _by_small_words(sample)
    if by_letters in by_words or not by_words:
        return by_letters
    return next(iter(by_words)) if len(by_words) == 1 else None


def sure_language(text: str) -> str | None:
    """``detect_language`` if letters and small words agree: by letters alone, "soil moisture" is French and "rainfall"
    German. *El* and *la* do not count, because of El Niño and La Niña.
    """
    by_letters = _detector()(text[:_LONGEST_CHARACTERS]) if any(map(str.isalpha, text)) else None
    if by_letters is None:
        return None
    words = [word for word in _WORD.findall(text.lower()) if word not in ("el", "la")]
    votes = len([word for word in words if word in SMALL_WORDS[by_letters]])
    return by_letters if votes and votes >= len([word for word in words if word in SMALL_WORDS["en"]]) else None


def has_small_words(text: str, language: str | None) -> bool:
    """Whether the text has small words of this language."""
    return language is not None and not SMALL_WORDS[language].isdisjoint(_WORD.findall(text.lower()))


def _by_small_words(text: str) -> frozenset[str]:
    """The languages with the most small words of the text; empty if it has none."""
    votes = Counter([code for word in _WORD.findall(text.lower()) for code in _LANGUAGES_OF.get(word, ())])
    most_votes = max(votes.values(), default=0)
    return frozenset([code for code, count in votes.items() if count == most_votes])


@cache
def _detector() -> Callable[[str], str | None]:
    try:  # imported on first use: the wheel has 96 MB of models for 75 languages, of which six are used
        import lingua  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        _log.warning("language.unavailable", package="lingua-language-detector")
        return lambda _: None
    codes = [getattr(lingua.IsoCode639_1, code.upper()) for code in LANGUAGES]
    builder = lingua.LanguageDetectorBuilder.from_iso_codes_639_1(*codes)
    detector = builder.with_low_accuracy_mode().build()

    @lru_cache(_REMEMBERED_TEXTS)  # one search asks several times about its topic
    def detect(text: str) -> str | None:
        best = detector.compute_language_confidence_values(text)[0]
        code: str = best.language.iso_code_639_1.name.lower()
        return code if best.value >= LEAST_CONFIDENCE else None

    return detect
