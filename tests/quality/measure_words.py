"""``python -m tests.quality.measure_words [slips|random|languages|all]``: how words that no record has are read.

Over the harvested index of the settings (``SONDE_INDEX__PREFIX``), with the pipeline that serves; reads only.

- ``slips``: thirty questions, the rarest word of each with one letter dropped, swapped, doubled or replaced: how many
  of the first five hits are the same.
- ``random``: sixty texts of random letters, digits, pseudo-words, and a word beside a random one: which have hits, and
  how relevant the best is.
- ``languages``: twenty topics, and fourteen others, in German, French and Spanish: the share of the first five hits of
  the English question.
"""

from __future__ import annotations

import random
import re
import string
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import mean

from es_gateway.client import Elasticsearch
from search_api.search.answer import Answer
from search_api.search.flow import SearchPipeline
from search_api.search.request import SearchRequest
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline

SEED = 20261127
FIRST = 5
QUESTIONS = (
    "lightning strikes over Florida", "snow depth Sierra Nevada", "aerosol optical depth Asia",
    "hailstorms in Colorado",
    "ocean salinity North Atlantic", "permafrost temperature Alaska", "cloud condensation nuclei measurements",
    "tropical cyclone tracks", "wind profiler observations Kansas", "carbon dioxide flux forest",
    "zooplankton Bering Sea",
    "evapotranspiration grassland", "tornado damage survey", "mercury deposition Arctic",
    "stratospheric ozone profiles",
    "streamflow Mississippi", "vegetation greenness tundra", "drizzle stratocumulus Pacific", "bathymetry Chukchi Sea",
    "radiosonde soundings monsoon India", "seismic reflection ice sheet", "reanalysis surface pressure",
    "methane emissions wetlands", "caribou migration", "sea level pressure historical", "solar irradiance Barrow",
    "biomass burning smoke plume", "dropsonde hurricane Gulf of Mexico", "humidity lidar profiles",
    "glacier mass balance",
)  # fmt: skip
TOPICS = {
    "groundwater": ("Grundwasser", "eaux souterraines", "aguas subterráneas"),
    "sea ice thickness Arctic": (
        "Meereisdicke Arktis", "épaisseur de la glace de mer Arctique", "espesor del hielo marino Ártico"
    ),
    "precipitation in Brazil": ("Niederschlag in Brasilien", "précipitations au Brésil", "precipitación en Brasil"),
    "river discharge": ("Flussabfluss", "débit des rivières", "caudal de los ríos"),
    "soil temperature Alaska": ("Bodentemperatur Alaska", "température du sol Alaska", "temperatura del suelo Alaska"),
    "lightning": ("Blitze", "foudre", "rayos"),
    "air quality": ("Luftqualität", "qualité de l'air", "calidad del aire"),
    "snow cover": ("Schneedecke", "couverture neigeuse", "cobertura de nieve"),
    "wind speed Pacific": ("Windgeschwindigkeit Pazifik", "vitesse du vent Pacifique", "velocidad del viento Pacífico"),
    "floods": ("Überschwemmungen", "inondations", "inundaciones"),
    "drought": ("Dürre", "sécheresse", "sequía"),
    "sea surface temperature": (
        "Meeresoberflächentemperatur", "température de surface de la mer", "temperatura superficial del mar"
    ),
    "ocean currents": ("Meeresströmungen", "courants océaniques", "corrientes oceánicas"),
    "vegetation": ("Vegetation", "végétation", "vegetación"),
    "thunderstorms": ("Gewitter", "orages", "tormentas eléctricas"),
    "solar radiation": ("Sonneneinstrahlung", "rayonnement solaire", "radiación solar"),
    "glaciers": ("Gletscher", "glaciers", "glaciares"),
    "water vapour": ("Wasserdampf", "vapeur d'eau", "vapor de agua"),
    "tide gauges": ("Gezeitenpegel", "marégraphes", "mareógrafos"),
    "forest fires": ("Waldbrände", "incendies de forêt", "incendios forestales"),
}  # fmt: skip
UNSEEN_TOPICS = {
    "tropical cyclone rainfall": (
        "Niederschlag tropischer Wirbelstürme",
        "précipitations des cyclones tropicaux",
        "precipitación de ciclones tropicales",
    ),
    "ozone profiles Antarctica": (
        "Ozonprofile Antarktis",
        "profils d'ozone en Antarctique",
        "perfiles de ozono en la Antártida",
    ),
    "soil moisture Oklahoma": (
        "Bodenfeuchte in Oklahoma",
        "humidité du sol en Oklahoma",
        "humedad del suelo en Oklahoma",
    ),
    "cloud radar measurements": (
        "Wolkenradar Messungen",
        "mesures de radar de nuages",
        "mediciones de radar de nubes",
    ),
    "fish in the Bering Sea": (
        "Fische im Beringmeer",
        "poissons de la mer de Béring",
        "peces del mar de Bering",
    ),
    "atmospheric aerosol concentration": (
        "Aerosolkonzentration in der Atmosphäre",
        "concentration d'aérosols dans l'atmosphère",
        "concentración de aerosoles en la atmósfera",
    ),
    "permafrost thaw": (
        "Auftauen des Permafrosts",
        "dégel du pergélisol",
        "deshielo del permafrost",
    ),
    "climate model scenarios precipitation": (
        "Klimamodelle Szenarien Niederschlag",
        "scénarios climatiques de précipitations",
        "escenarios climáticos de precipitación",
    ),
    "plankton Arctic Ocean": (
        "Plankton im Arktischen Ozean",
        "plancton de l'océan Arctique",
        "plancton del océano Ártico",
    ),
    "hourly surface weather observations": (
        "stündliche Wetterbeobachtungen am Boden",
        "observations météorologiques horaires en surface",
        "observaciones meteorológicas horarias en superficie",
    ),
    "carbon dioxide flux tundra": (
        "Kohlendioxidfluss Tundra",
        "flux de dioxyde de carbone toundra",
        "flujo de dióxido de carbono tundra",
    ),
    "aircraft measurements of ice crystals": (
        "Flugzeugmessungen von Eiskristallen",
        "mesures aéroportées de cristaux de glace",
        "mediciones de cristales de hielo desde aviones",
    ),
    "sea ice satellite images": (
        "Satellitenbilder Meereis",
        "images satellite de la banquise",
        "imágenes de satélite del hielo marino",
    ),
    "tree growth temperature": (
        "Baumwachstum und Temperatur",
        "croissance des arbres et température",
        "crecimiento de los árboles y temperatura",
    ),
}  # written before any of them was asked
_WORD = re.compile(r"[^\W\d_]{4,}")
Ask = Callable[[str], Answer]


def slipped(word: str, chance: random.Random) -> str:
    """The word with one letter dropped, doubled, swapped with the next or replaced, never the word itself."""
    while True:
        at = chance.randrange(len(word))
        letter, following = word[at], word[at + 1 : at + 2]
        changed = chance.choice(("", letter * 2, following + letter, chance.choice(string.ascii_lowercase)))
        tail = word[at + 1 :] if changed != following + letter else word[at + 2 :]
        if (slip := word[:at] + changed + tail) != word:
            return slip


def random_texts() -> Iterator[tuple[str, str]]:
    """Kind and text: fifteen of each kind, always the same."""
    chance = random.Random(SEED)
    for _ in range(15):
        yield "letters", _drawn(chance, string.ascii_lowercase)
        yield "digits", _drawn(chance, string.ascii_lowercase + string.digits * 2)
        yield "pseudo-words", " ".join(_pseudo_word(chance) for _ in range(chance.randint(1, 3)))
        yield "beside a word", f"{chance.choice(('ship', 'table', 'red', 'music', 'train'))} {_pseudo_word(chance)}"


def _drawn(chance: random.Random, letters: str) -> str:
    return "".join(chance.choice(letters) for _ in range(chance.randint(5, 11)))


def _pseudo_word(chance: random.Random) -> str:
    syllables = (chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4)))
    return "".join(syllables) + chance.choice("bdgklmnprt")


def rarest_word(client: Elasticsearch, index: str, question: str) -> str:
    """Of the words in small letters: names of places are no typing errors of the topic."""
    words: list[str] = [word for word in _WORD.findall(question) if word.islower()]
    counts = {word: client.count(index=index, query={"match": {"words.en": word}}).body["count"] for word in words}
    return min(counts, key=lambda word: (counts[word] == 0, counts[word], word))


def shared_share(answer: Answer, meant: Answer) -> float:
    """The share of the first hits of ``meant`` that are among the first of ``answer``."""
    ids = {hit.record.id for hit in meant.hits}
    return len(ids & {hit.record.id for hit in answer.hits}) / max(len(ids), 1)


def measure_slips(ask: Ask, client: Elasticsearch, index: str) -> None:
    chance, shares = random.Random(SEED), []
    for question in QUESTIONS:
        word = rarest_word(client, index, question)
        slip = question.replace(word, slipped(word, chance))
        answer = ask(slip)
        shares.append(shared_share(answer, ask(question)))
        corrected = answer.interpretation.corrected or answer.did_you_mean
        _say(f"{shares[-1]:.1f}  {slip}  -> {corrected}  unknown {answer.unknown_words}")
    _say(f"slips: {mean(shares):.3f} of the first {FIRST} kept over {len(shares)}")


def measure_random(ask: Ask) -> None:
    answered = 0
    for kind, text in random_texts():
        answer = ask(text)
        if answer.hits:
            answered += 1
            _say(f"{kind}  {text}  {answer.matched}  {answer.hits[0].record.title[:60]}  {answer.unknown_words}")
    _say(f"random: {answered} of 60 have hits")


def measure_languages(ask: Ask, topics: Mapping[str, tuple[str, str, str]]) -> None:
    shares: dict[str, list[float]] = {"de": [], "fr": [], "es": []}
    empty = 0
    for english, others in topics.items():
        meant = ask(english)
        for language, question in zip(shares, others, strict=True):
            answer = ask(question)
            empty += not answer.hits
            shares[language].append(shared_share(answer, meant))
            read = answer.interpretation.thematic
            _say(f"{language} {shares[language][-1]:.1f}  {question}  read {read}  hits {answer.matched}")
    _say(
        ", ".join(f"{language} {mean(values):.3f}" for language, values in shares.items())
        + f"; empty: {empty} of {3 * len(topics)}"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _asked(pipeline: SearchPipeline, question: str) -> Answer:
    return pipeline.search(SearchRequest(q=question, limit=FIRST))


def main(kind: str) -> None:
    settings = load_settings()
    client, prefix = elasticsearch_client(settings), settings.index.prefix
    pipeline, _ = search_pipeline(client, prefix, Models(settings), ranking_config(settings))
    ask = partial(_asked, pipeline)
    if kind in ("slips", "all"):
        measure_slips(ask, client, f"{prefix}-records")
    if kind in ("random", "all"):
        measure_random(ask)
    if kind in ("languages", "all"):
        measure_languages(ask, TOPICS)
        measure_languages(ask, UNSEEN_TOPICS)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "all")
