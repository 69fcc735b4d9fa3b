"""The words around the names of places, and what they say about which place is meant.

With normal capitals, a capital inside a sentence is evidence for a name; in a text all in lower case (most queries),
all in upper case or in title case it is not. The small words are those of six languages, folded, without accents.

A direction before a name means a part of the place: "northern Italy" is the northern half of Italy's box.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Literal

from core.geo import BBox, Place, PlaceKind
from reading.gazetteer import NameWord, words
from reading.related_boxes import part_of_box
from reading.sentences import word_set

# One of these before a name marks it as a place ...
PLACE_PREPOSITIONS = word_set(
    """in near at around across over off throughout within inside along toward towards from for between and
    en a au aux dans pres sur vers em no na nos nas perto nel nella nei nelle presso vicino
    bei nahe im aus um uber cerca"""
)
# ... and these do so even if the name is also an ordinary word ("in Nice", "near Reading").
STRICT_PREPOSITIONS = PLACE_PREPOSITIONS - word_set("for and between no na over um en sur from a")
# Skipped between preposition and name: "in the city of Mobile".
SKIPPED_WORDS = word_set("the greater city town state of region der die das le la les el los il lo")
# Written in lower case inside a name: "Rio de Janeiro", "Gulf of Mexico".
SMALL = word_set("of the and de del della do da dos das des du la le les el los y e und am an der den i")
INSTITUTIONS = word_set("university universitat universite universidad universita institute college academy tech")
# Parts of sea and land named after a country beside them: the Strait of Georgia is not in Georgia.
FEATURES = word_set("strait straits cape bay gulf isthmus golf golfe golfo detroit")
# The last word of a country's possession that is far from it.
_TERRITORY_HEADS = word_set("islands territory territories samoa")
_LONGEST_TERRITORY = 4  # words: "US Minor Outlying Islands"
# Alone never a name, although provinces have these names.
DIRECTIONS = word_set(
    """north south east west northern southern eastern western northeast northwest southeast southwest central
    nord sud ost norden suden osten westen est ouest norte sur este oeste sul leste ovest
    septentrional septentrionale settentrionale setentrional meridional meridionale oriental orientale occidental
    occidentale ocidental centrale"""
)
_ARTICLES = word_set("the l la le el il o")  # "à l'ouest"
_BEFORE_SEAS = word_set("nel nell sul sull del dell dall al no do em el sur")
# Before a mountain's name, which is also that of what it was named after: "Mt. Washington".
_MOUNTS = word_set("mt mount mont monte cerro")
STORMS = word_set("hurricane cyclone typhoon storm")  # named like people, and some of these like cities


# After a place's name, these make it the name of something else: a treaty, a pattern of the climate, a program.
_OTHER_HEADS = word_set(
    """agreement protocol accord accords treaty convention declaration amendment abkommen protokoll vertrag
    konvention acuerdo protocolo tratado accordo protocollo trattato acordo protocole traite oscillation
    oszillation oscilacion oscillazione oscilacao code script scripts api web aws virus fever flu influenza
    syndrome disease fieber grippe fievre fiebre febbre febre wine wines sprout sprouts pepper sauce cheese salad
    belly curry sausage pizza ham cigar cigarette whisky whiskey hat carpet rug knife knives envelope porcelain
    terrier spaniel mastiff hound husky huskies pony ponies poodle"""
)
# A pattern of the climate is also named with a word between: "Pacific decadal oscillation", "Indian Ocean Dipole".
_PATTERN_HEADS = word_set("oscillation oszillation oscilacion oscillazione oscilacao dipole dipol dipolo seesaw")
# Between two parts of a town's name: "Barrow upon Soar".
_NAME_LINKS = word_set("upon under juxta cum")
# After a city's name: what is named after a person who had that name.
_EPONYM_HEADS = word_set(
    """number ratio equation equations law constant coefficient formula theorem transform zahl gleichung nombre numero
    laboratory laboratories model scheme method algorithm parameterization parameterisation operator curve diagram
    interpretation mixture force forces algebra distribution unit units scale process
    challenge lander rover probe spacecraft operateur courbe modell verfahren
    verteilung modelo metodo escala modello scala"""
)
# After a name: an animal or a plant ("Canada goose", "Norway spruce"). "Alaska salmon" may be fish of Alaska.
_SPECIES_HEADS = word_set(
    """char chars vulture vultures pig pigs fowl hen hens nut nuts goose geese duck ducks tern terns skua skuas
    petrel petrels fulmar puffin puffins gull gulls loon loons eider cod halibut herring salmon trout grayling
    sturgeon mackerel hake haddock tuna sardine sardines anchovy toothfish perch eel eels hare hares fox foxes
    rabbit rabbits python pythons iguana iguanas
    wolf wolves lemming lemmings squirrel squirrels lynx bison tiger tigers elephant elephants lion lions leopard
    leopards macaque crocodile crocodiles tortoise toad toads frog frogs beetle beetles hornet hornets pine pines
    spruce fir firs larch oak oaks beech birch maple maples cedar willow poppy lily rose thistle ragweed knotweed
    bean beans rat rats moth moths weevil weevils mite mites sparrow sparrows finch finches bunting buntings"""
)
_SPECIES_OF_REGIONS = word_set(
    """wren wrens warbler warblers creeper bluegrass grass parakeet condor condors panther panthers retriever terrier
    bat opossum opossums longhorn longhorns coon skunk skunks chipmunk chipmunks
    vole voles quail chickadee chickadees flycatcher salamander salamanders"""
)
# A capitalised one after a place's name: a newspaper.
_PRESS_HEADS = word_set("times post globe tribune herald gazette")
# A capitalised one after a city's name makes a longer name: "Glenwood Springs".
_FEATURE_HEADS = word_set(
    """springs basin falls creek point hills heights canyon gulch ranch ridge mountain mountains peak
    glacier valley river lake island islands bay inlet sound strait plateau forest prairie peninsula channel"""
)
# After a little town's name: a place where something is measured, and that often only bears the name of a person.
_SITE_HEADS = word_set(
    """field site sites station stations observatory tower facility farm ranch experimental laboratory supersite
    standort messfeld sitio estacion estacao stazione sito"""
)
# Places that are also given names: with a surname behind, a person ("Jordan Powers").
_GIVEN_NAMES = word_set(
    """adelaide alexandria america asia austin brooklyn carolina chad charlotte china cody cuba dakota dallas diego
    florence france francisco georgia geneva houston india ireland israel jackson jordan kenya laurel leon lincoln
    lourdes madison marina montana nancy odessa orlando paris regina santiago savannah sofia sydney troy valencia
    verona victoria vienna virginia"""
)

Style = Literal["mixed", "plain"]

_JOIN = re.compile(r"[ \t]+|[ \t]&[ \t]|[ \t]?[-‐–'’][ \t]?|\.[ \t]?|[ \t]*\n[ \t]*")
_SENTENCE_END = re.compile(r"[.!?:]\s*$")
_FEATURE = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(FEATURES))})\s(?:of|de|von|di)\s(?:the\s|la\s)?$", re.IGNORECASE)
_LONGEST_FEATURE = 24  # characters
_MOST_SKIPPED = 6  # "in the greater city of the town of"
_TITLE_SHARE = 0.8
_ACRONYM_LETTERS = range(3, 6)
_MOST_KEYWORDS = 8  # words of a question that is only keywords
_APOSTROPHES = ("'", "’")


def _is_head(word: str, heads: frozenset[str]) -> bool:
    """Whether it is one of these, or its plural: peppers."""
    return word in heads or word.removesuffix("s") in heads


def after_feature(text_before: str) -> bool:
    """Whether the text ends with a part of sea or land that is named after the next word: "Strait of [Georgia]"."""
    return _FEATURE.search(text_before[-_LONGEST_FEATURE:]) is not None


class TextWords:
    """A text as words, and the meaning of its capitals."""

    def __init__(self, text: str, *, capitals_mean_names: bool) -> None:
        self.text = text
        self._capitals_mean_names = capitals_mean_names
        self.words: list[NameWord] = words(text)
        self.is_upper_case = text.isupper()
        self.style: Style = "plain" if text == text.lower() or self.is_upper_case or self._is_title() else "mixed"

    def _is_title(self) -> bool:
        """Whether nearly all longer words start with a capital, so that capitals mean nothing."""
        long = [word for word in self.words if len(word.text) > 3]
        capital = sum(word.text[0].isupper() for word in long)
        return len(long) >= 4 and capital >= _TITLE_SHARE * len(long)

    def between(self, number: int) -> str:
        """The text between a word and the next."""
        return self.text[self.words[number].end : self.words[number + 1].start]

    def longest_possible_name(self, first: int, max_words: int) -> int:
        """How many words from this one on can be one name, at most ``max_words``: commas and brackets end it."""
        length = min(1, max_words)
        while length < max_words and first + length < len(self.words):
            gap = self.between(first + length - 1)
            if not _JOIN.fullmatch(gap) or (gap[0] == "." and len(self.words[first + length - 1].text) > 3):
                break
            length += 1
        return length

    def starts_sentence(self, number: int) -> bool:
        end_before = self.words[number - 1].end if number else 0
        return number == 0 or _SENTENCE_END.search(self.text, end_before, self.words[number].start) is not None

    def capital(self, first: int, last: int) -> bool:
        """Whether every word has a capital, in a text where that means something."""
        if self.style == "plain" or not self._capitals_mean_names or (self.starts_sentence(first) and first == last):
            return False
        return all(w.text[0].isupper() or w.folded in SMALL for w in self.words[first : last + 1])

    def may_be_name(self, number: int) -> bool:
        """Whether the word's letters say nothing: nothing has a capital here, or every noun has."""
        return self.style == "plain" or (not self._capitals_mean_names and self.starts_with_capital(number))

    def starts_with_capital(self, number: int) -> bool:
        """Whether this word has a capital, whatever that means here."""
        return self.words[number].text[0].isupper()

    def is_other_name(self, first: int, last: int) -> bool:
        """Whether the name is part of an institution's or a storm's name, or an acronym (PISA in a text with
        capitals).
        """
        return (
            self._is_acronym(first, last)
            or self._is_institution(first, last)
            or (first > 0 and self.words[first - 1].folded in STORMS)
            or self._is_mountain(first)
            or after_feature(self.text[: self.words[first].start])
        )

    def begins_other_name(self, first: int, last: int, kind: PlaceKind, *, is_ambiguous: bool) -> bool:
        """Whether a longer name of something else begins with this place: a treaty, a species, a person, a creek.

        ``is_ambiguous``: several large places share the name.
        """
        if first > 0 and self.words[first - 1].folded == "wild":
            return True
        after = self.words[last + 1] if last + 1 < len(self.words) and self.between(last) == " " else None
        if after is None:
            return False
        head_after = self.words[last + 2].folded if last + 2 < len(self.words) else ""
        if _PATTERN_HEADS & {after.folded, head_after}:
            return True
        if _is_head(after.folded, _OTHER_HEADS) or (kind == "city" and after.folded in _EPONYM_HEADS):
            return True
        if self.style == "mixed" and after.folded in _PRESS_HEADS and self._is_title_word(last + 1):
            return True
        if kind == "city" and after.folded in _NAME_LINKS and head_after and self._is_title_word(last + 2):
            return True
        if after.folded in _SPECIES_OF_REGIONS or (kind != "region" and after.folded in _SPECIES_HEADS):
            return True
        if (kind == "city" or is_ambiguous) and after.folded in _FEATURE_HEADS and self._is_title_word(last + 1):
            return True
        return self.words[first].folded in _GIVEN_NAMES and first == last and self._is_person(first)

    def _is_person(self, first: int) -> bool:
        """Exactly two capitalised words in a text that also has small ones or acronyms: "Chad Smith ice cores"."""
        others = [number for number in range(len(self.words)) if number not in (first, first + 1)]
        return (
            self.style == "mixed"
            and self._is_title_word(first + 1)
            and self.words[first + 1].folded not in _FEATURE_HEADS | DIRECTIONS
            and others != []
            and not any(self._is_title_word(number) for number in others)
        )

    def _is_title_word(self, number: int) -> bool:
        """A capital and then small letters."""
        text = self.words[number].text
        return len(text) > 1 and text[0].isupper() and text[1:].islower()

    def is_lone_capital(self, first: int, last: int, kind: PlaceKind, *, may_be_surname: bool) -> bool:
        """Whether only these words have a capital here, also the first: "Bergen rainfall", "snow Kiruna".

        With a capitalised word beside them a city would be part of a longer name or of a person's. In a text longer
        than keywords a capital is as likely a person's.
        """
        if self.style == "plain" or not self._capitals_mean_names or len(self.words) > _MOST_KEYWORDS:
            return False
        if not all(self._is_title_word(number) for number in range(first, last + 1)):
            return False
        if kind != "city":
            return True
        is_part = last + 1 < len(self.words) and self.between(last) == " " and self._is_title_word(last + 1)
        before = first - 1
        follows_name = (
            before >= 0 and self._is_title_word(before) and (may_be_surname or not self.starts_sentence(before))
        )
        is_possessive = self.text[self.words[last].end :].startswith(_APOSTROPHES)
        follows_possessive = before >= 0 and self.words[before].text == "s"
        return not (is_part or follows_name or is_possessive or follows_possessive)

    def begins_site(self, last: int) -> bool:
        """Whether a site has the name: "Marshall field site"."""
        return last + 1 < len(self.words) and self.between(last) == " " and self.words[last + 1].folded in _SITE_HEADS

    def _is_acronym(self, first: int, last: int) -> bool:
        word = self.words[first].text
        return (
            first == last
            and self.style == "mixed"
            and word.isupper()
            and len(word) in _ACRONYM_LETTERS
            and word != "USA"
        )

    def _is_institution(self, first: int, last: int) -> bool:
        """ "University of Southern California", "Yale University", "Florida International University"."""
        before = first - 1
        while before > 0 and self.words[before].folded in DIRECTIONS:
            before -= 1
        is_of = before > 0 and self.words[before].folded in ("of", "de", "di")
        if is_of and self.words[before - 1].folded in INSTITUTIONS:
            return True
        words_after = [word.folded for word in self.words[last + 1 : last + 3]]
        if words_after[:1] == ["state"] or (self.style == "mixed" and self._is_run_of_capitals(last)):
            return not INSTITUTIONS.isdisjoint(words_after)
        return not INSTITUTIONS.isdisjoint(words_after[:1])

    def _is_run_of_capitals(self, last: int) -> bool:
        """Whether two capitalised words follow, with nothing but spaces between."""
        return last + 2 < len(self.words) and all(
            self.between(number) == " " and self._is_title_word(number + 1) for number in (last, last + 1)
        )

    def begins_territory(self, last: int) -> bool:
        """Whether the capitalised words after a country name a part that is elsewhere: "US Pacific Islands"."""
        for number in range(last + 1, min(last + 1 + _LONGEST_TERRITORY, len(self.words))):
            if self.between(number - 1) != " " or not self._is_title_word(number):
                return False
            if self.words[number].folded in _TERRITORY_HEADS:
                return True
        return False

    def _is_mountain(self, first: int) -> bool:
        """Of a mountain that the gazetteer knows, the longer name was found before."""
        return first > 0 and self.words[first - 1].folded in _MOUNTS and not self.between(first - 1).strip(". ")

    def is_direction(self, first: int, last: int) -> bool:
        """Whether the words say only where, perhaps with an article."""
        folded = [word.folded for word in self.words[first : last + 1]]
        return folded[-1] in DIRECTIONS and all(word in DIRECTIONS or word in _ARTICLES for word in folded)

    def after_preposition_of_sea(self, number: int) -> bool:
        """Whether the word has a capital after the small words before a sea: "nell'Indiano", "no Índico"."""
        before = self.words[number - 1].folded if number else ""
        return before in _BEFORE_SEAS and self._is_title_word(number)

    def after_preposition(self, first: int, *, strict: bool = False) -> bool:
        """Whether a preposition of place precedes, ignoring articles and similar words in between."""
        position, last = first - 1, max(-1, first - 1 - _MOST_SKIPPED)
        while position > last and self.words[position].folded in SKIPPED_WORDS:
            position -= 1
        prepositions = STRICT_PREPOSITIONS if strict else PLACE_PREPOSITIONS
        return position >= 0 and self.words[position].folded in prepositions


_COMPASS = {
    **dict.fromkeys(("north", "northern", "nordliches", "nordlichen", "nordliche"), "north"),
    **dict.fromkeys(("south", "southern", "sudliches", "sudlichen", "sudliche"), "south"),
    **dict.fromkeys(("east", "eastern", "ostliches", "ostlichen", "ostliche"), "east"),
    **dict.fromkeys(("west", "western", "westliches", "westlichen", "westliche"), "west"),
    **dict.fromkeys(("northeast", "northeastern"), "northeast"),
    **dict.fromkeys(("northwest", "northwestern"), "northwest"),
    **dict.fromkeys(("southeast", "southeastern"), "southeast"),
    **dict.fromkeys(("southwest", "southwestern"), "southwest"),
    **dict.fromkeys(("central", "zentrales", "zentralen", "zentrale"), "central"),
}
_DIVISIBLE = frozenset(("continent", "country", "region", "named_region", "sea", "island", "river_basin"))


def part_of(place: Place, direction: str) -> Place | None:
    """The part of a place that a folded word names; None if the word is not a direction or the place is a city.

    The box is marked as estimated. A place around the whole world has no east and west.
    """
    compass = _COMPASS.get(direction)
    if compass is None or place.kind not in _DIVISIBLE:
        return None
    if place.bbox.width_deg == 360.0 and compass not in ("north", "south", "central"):
        return None
    part = BBox(*(round(edge, 4) for edge in part_of_box(compass, place.bbox).as_list()))
    return dataclasses.replace(place, name=f"{direction} {place.name}", bbox=part, kind="named_region", estimated=True)
