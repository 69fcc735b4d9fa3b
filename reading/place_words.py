"""Small words in six languages that are evidence about the name beside them; all folded, without accents."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# One of these before a name marks it as a place ...
PLACE_PREPOSITIONS = _set(
    """in near at around across over off throughout within inside along toward towards from for between and
    en a au aux dans pres sur vers em no na nos nas perto nel nella nei nelle presso vicino
    bei nahe im aus um uber cerca"""
)
# ... and these do so even if the name is also an ordinary word ("in Nice", "near Reading").
STRICT_PREPOSITIONS = PLACE_PREPOSITIONS - _set("for and between no na over um en sur from a")
# Skipped between preposition and name: "in the city of Mobile".
SKIPPED = _set("the greater city town state of region der die das le la les el los il lo")
# Written in lower case inside a name: "Rio de Janeiro", "Gulf of Mexico".
SMALL = _set("of the and de del della do da dos das des du la le les el los y e und am an der den i")
INSTITUTIONS = _set("university universitat universite universidad universita institute college academy")
# Parts of sea and land named after a country beside them: the Strait of Georgia is not in Georgia.
FEATURES = _set("strait straits cape bay gulf isthmus golf golfe golfo detroit")
# Alone never a name, although provinces have these names.
DIRECTIONS = _set(
    """north south east west northern southern eastern western northeast northwest southeast southwest central
    nord sud ost norden suden osten westen est ouest norte sur este oeste sul leste ovest
    septentrional septentrionale settentrionale setentrional meridional meridionale oriental orientale occidental
    occidentale ocidental centrale"""
)
STORMS = _set("hurricane cyclone typhoon storm")  # named like people, and some of these like cities
