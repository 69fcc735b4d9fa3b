"""The words of spatial relations, in six languages, as parts of patterns (lower case)."""

from __future__ import annotations

from typing import Literal

Compass = Literal["north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"]

Relation = Literal[
    "in", "within", "over", "near", "coast", "off_coast", "between", "outside", "global",
    "north_of", "northeast_of", "east_of", "southeast_of", "south_of", "southwest_of", "west_of", "northwest_of",
    "part_north", "part_northeast", "part_east", "part_southeast", "part_south", "part_southwest", "part_west",
    "part_northwest", "part_central",
]  # fmt: skip

_COMPASS_WORDS: tuple[tuple[Compass, str], ...] = (
    ("northeast", "northeast north-east ne nordost nordosten nord-est noreste nordeste"),
    ("northwest", "northwest north-west nw nordwest nordwesten nord-ouest noroeste nord-ovest"),
    ("southeast", "southeast south-east se südost südosten sud-est sureste sudeste"),
    ("southwest", "southwest south-west sw südwest südwesten sud-ouest suroeste sudoeste sud-ovest"),
    ("north", "north n nord norden norte"),
    ("east", "east e ost osten est este leste"),
    ("south", "south s süd süden sud sur sul"),
    ("west", "west w westen ouest oeste ovest"),
)
COMPASS: dict[str, Compass] = {word: compass for compass, words in _COMPASS_WORDS for word in words.split()}

_ADJECTIVES: tuple[tuple[Compass, str], ...] = (
    ("northeast", "northeastern north-eastern nordöstlich"),
    ("northwest", "northwestern north-western nordwestlich"),
    ("southeast", "southeastern south-eastern südöstlich"),
    ("southwest", "southwestern south-western südwestlich"),
    ("north", "northern nördlich septentrional septentrionale settentrionale setentrional"),
    ("east", "eastern östlich oriental orientale"),
    ("south", "southern südlich méridional méridionale meridional meridionale"),
    ("west", "western westlich occidental occidentale ocidental"),
)
ADJECTIVES: dict[str, Compass] = {word: compass for compass, words in _ADJECTIVES for word in words.split()}

CENTRAL = r"central|zentral(?:e[snr]?)?|mittlere[snr]?|mittel|centrale"

OF = r"(?:of|von|vom|des|der|de|du|del|della|dello|dei|degli|delle|di|do|da|dos|das|d['’]|dell['’])"
# What follows a noun for a part ("norte de España", "Norden von Italien", "nord dell'Italia").
OF_PART = r"(?:von|des|der|de|du|del|della|dello|dei|degli|delle|di|do|da|dos|das|d['’]|dell['’])"
ARTICLE = (
    r"(?:(?:the|der|die|das|den|dem|des|le|la|les|el|los|las|il|lo|gli|o|a|os|as|all|whole|entire|ganz)\s{1,2}|"
    r"l['’]\s?){0,2}"
)

IN = (
    r"in|at|im|auf|aus|dans|en|au|aux|à|nel|nella|nello|nei|negli|nelle|nell['’]|em|no|na|nos|nas"
)  # fmt: skip
WITHIN = (
    r"within|inside|innerhalb(?: von)?|à l['’]intérieur d(?:e|u|es)|dentro d(?:e|el|o|a|os|as)|"
    r"all['’]interno d(?:i|el|ella|ell['’])"
)
OVER = (
    r"(?:all )?over|across|throughout|über|quer durch|sur|à travers|sobre|por tod[oa]|su|sul|sulla|sull['’]|attraverso|"
    r"através d[eoa]"
)
NEAR = (
    r"near|nearby|close to|next to|adjacent to|around|surrounding|"
    r"(?:in the )?(?:vicinity|neighbou?rhood|surroundings) of|"
    r"nahe(?: bei)?|in der nähe (?:von|des|der)|nähe|bei|um|rund um|umgebung von|"
    r"près d(?:e|u|es|['’])|proche d(?:e|u|es)|"
    r"autour d(?:e|u|es|['’])|à proximité d(?:e|u|es|['’])|(?:aux|des) environs d(?:e|u|es|['’])|cerca d(?:e|el)|"
    r"alrededor d(?:e|el)|junto a|próxim[oa] (?:a|ao|de)|vicino (?:a|al|alla|allo|ai|all['’])|"
    r"nei pressi d(?:i|el|ella|ell['’])|presso|intorno (?:a|al|alla)|attorno (?:a|al|alla)|perto d[eoa]|"
    r"em torno d[eoa]|ao redor d[eoa]|nas proximidades d[eoa]"
)
OFF_COAST = (
    r"off the (?:\w{1,12} )?coasts? of|offshore(?: of)?|off|vor der küste(?: von)?|au large d(?:e|u|es|['’])|"
    r"frente a las? costas? d(?:e|el)|al largo d(?:i|el|ella|ell['’])|ao largo d[eoa]"
)
COAST = (
    r"(?:along |on |at )?the (?:\w{1,12} )?(?:coasts?|coastlines?|shores?) of|coasts? of|coastlines? of|shores? of|"
    r"coastal|(?:entlang |an )?der küste(?: von)?|küsten? von|"
    r"(?:le long )?(?:de la |des |la |les )?côtes? d(?:e|u|es|['’])|"
    r"(?:a lo largo d(?:e la|e las) )?costas? d(?:e|el)|(?:lungo )?(?:la |le )?cost[ae] d(?:i|el|ella|ell['’])|"
    r"(?:ao longo da )?costa d[eoa]"
)
COAST_BEHIND = r"(?:(?:['’]s\s|\s)(?:coasts?|coastlines?|coastal (?:waters|zone|area|areas|region)|küsten?)|küsten?)"
BETWEEN = r"between|zwischen|entre|tra|fra|from"
AND = r"and|und|et|y|e|&"
OUTSIDE = (
    r"outside(?: of)?|except(?: for| in)?|excluding|not in|other than|außerhalb(?: von)?|außer(?: in)?|ohne|"
    r"hors d(?:e|u|es)|en dehors d(?:e|u|es)|sauf(?: en)?|excepto(?: en)?|fuera d(?:e|el)|fuori d(?:a|al|alla)|"
    r"eccetto|tranne|exceto|fora d[eoa]"
)
# "global warming" and "global radiation" do not describe an extent.
GLOBAL = (
    r"the (?:whole|entire) (?:world|globe)|globally|"
    r"global(?!\s(?:warming|change|radiation|irradiance|positioning|navigation))|"
    r"globale[snr]?|globali|globaux|"
    r"globales|world[\s-]?wide|(?:around|across|all over|in|of|for) the (?:whole |entire )?(?:world|globe)|"
    r"weltweit(?:e[snr]?)?|"
    r"à l['’]échelle mondiale|mondiale?s?|mondiaux|mundial(?:es)?|mondiali|en todo el mundo|dans le monde(?: entier)?|"
    r"in tutto il mondo|em todo o mundo"
)
