"""Place names of four more languages mean the place that the English name means."""

from __future__ import annotations

import pytest

from reading.gazetteer import Gazetteer
from reading.places import PlaceReader

GAZETTEER = Gazetteer()
READER = PlaceReader(GAZETTEER)

# English, German, French, Spanish, Italian.
NAMES = """
Baltic Sea|Ostsee|mer Baltique|mar Báltico|mar Baltico
North Sea|Nordsee|mer du Nord|mar del Norte|mare del Nord
Mediterranean Sea|Mittelmeer|mer Méditerranée|mar Mediterráneo|mar Mediterraneo
Black Sea|Schwarzes Meer|mer Noire|mar Negro|mar Nero
Red Sea|Rotes Meer|mer Rouge|mar Rojo|mar Rosso
Caspian Sea|Kaspisches Meer|mer Caspienne|mar Caspio|mar Caspio
Adriatic Sea|Adria|mer Adriatique|mar Adriático|mare Adriatico
Caribbean Sea|Karibisches Meer|mer des Caraïbes|mar Caribe|mar dei Caraibi
Bering Sea|Beringmeer|mer de Béring|mar de Bering|mare di Bering
Barents Sea|Barentssee|mer de Barents|mar de Barents|mare di Barents
Atlantic Ocean|Atlantik|océan Atlantique|océano Atlántico|oceano Atlantico
Pacific Ocean|Pazifik|océan Pacifique|océano Pacífico|oceano Pacifico
Indian Ocean|Indischer Ozean|océan Indien|océano Índico|oceano Indiano
Southern Ocean|Südlicher Ozean|océan Austral|océano Austral|oceano Antartico
Arctic Ocean|Nordpolarmeer|océan Arctique|océano Ártico|mar Glaciale Artico
English Channel|Ärmelkanal|La Manche|canal de la Mancha|canale della Manica
Bay of Biscay|Biskaya|golfe de Gascogne|golfo de Vizcaya|golfo di Biscaglia
Gulf of Mexico|Golf von Mexiko|golfe du Mexique|golfo de México|golfo del Messico
Persian Gulf|Persischer Golf|golfe Persique|golfo Pérsico|golfo Persico
Arctic|Arktis|Arctique|Ártico|Artico
Antarctica|Antarktis|Antarctique|Antártida|Antartide
Alps|Alpen|Alpes|Alpes|Alpi
Pyrenees|Pyrenäen|Pyrénées|Pirineos|Pirenei
Carpathians|Karpaten|Carpates|Cárpatos|Carpazi
Himalaya|Himalaja|Himalaya|Himalaya|Himalaia
Andes|Anden|Andes|Andes|Ande
Rocky Mountains|Rocky Mountains|montagnes Rocheuses|Montañas Rocosas|Montagne Rocciose
Apennines|Apennin|Apennins|Apeninos|Appennini
Black Forest|Schwarzwald|Forêt-Noire|Selva Negra|Foresta Nera
Sahara|Sahara|Sahara|Sáhara|Sahara
Sahel|Sahelzone|Sahel|Sahel|Sahel
Amazon|Amazonasbecken|Amazonie|Amazonia|Amazzonia
Danube|Donau|Danube|Danubio|Danubio
Nile|Nil|Nil|Nilo|Nilo
Congo basin|Kongobecken|bassin du Congo|cuenca del Congo|bacino del Congo
Mekong|Mekong|Mékong|Mekong|Mekong
Lake Constance|Bodensee|lac de Constance|lago de Constanza|lago di Costanza
Lake Geneva|Genfer See|lac Léman|lago Lemán|lago Lemano
Lake Victoria|Victoriasee|lac Victoria|lago Victoria|lago Vittoria
Great Lakes|Große Seen|Grands Lacs|Grandes Lagos|Grandi Laghi
Sicily|Sizilien|Sicile|Sicilia|Sicilia
Sardinia|Sardinien|Sardaigne|Cerdeña|Sardegna
Corsica|Korsika|Corse|Córcega|Corsica
Crete|Kreta|Crète|Creta|Creta
Greenland|Grönland|Groenland|Groenlandia|Groenlandia
Svalbard|Spitzbergen|Svalbard|Svalbard|Svalbard
Canary Islands|Kanarische Inseln|îles Canaries|islas Canarias|isole Canarie
Azores|Azoren|Açores|Azores|Azzorre
New Zealand|Neuseeland|Nouvelle-Zélande|Nueva Zelanda|Nuova Zelanda
Germany|Deutschland|Allemagne|Alemania|Germania
Switzerland|Schweiz|Suisse|Suiza|Svizzera
Netherlands|Niederlande|Pays-Bas|Países Bajos|Paesi Bassi
United Kingdom|Vereinigtes Königreich|Royaume-Uni|Reino Unido|Regno Unito
United States|Vereinigte Staaten|États-Unis|Estados Unidos|Stati Uniti
Europe|Europa|Europe|Europa|Europa
South America|Südamerika|Amérique du Sud|América del Sur|America meridionale
North America|Nordamerika|Amérique du Nord|América del Norte|Nord America
Southeast Asia|Südostasien|Asie du Sud-Est|Sudeste Asiático|Sud-est asiatico
Southern Africa|Südliches Afrika|Afrique australe|África austral|Africa australe
West Africa|Westafrika|Afrique de l'Ouest|África Occidental|Africa occidentale
Middle East|Naher Osten|Moyen-Orient|Oriente Medio|Medio Oriente
Scandinavia|Skandinavien|Scandinavie|Escandinavia|Scandinavia
Balkans|Balkan|Balkans|Balcanes|Balcani
Iberian Peninsula|Iberische Halbinsel|péninsule Ibérique|península ibérica|penisola iberica
Central Europe|Mitteleuropa|Europe centrale|Europa central|Europa centrale
Bavaria|Bayern|Bavière|Baviera|Baviera
Tuscany|Toskana|Toscane|Toscana|Toscana
Catalonia|Katalonien|Catalogne|Cataluña|Catalogna
Brittany|Bretagne|Bretagne|Bretaña|Bretagna
Andalusia|Andalusien|Andalousie|Andalucía|Andalusia
Vienna|Wien|Vienne|Viena|Vienna
Munich|München|Munich|Múnich|Monaco di Baviera
Venice|Venedig|Venise|Venecia|Venezia
London|London|Londres|Londres|Londra
Strait of Gibraltar|Straße von Gibraltar|détroit de Gibraltar|estrecho de Gibraltar|stretto di Gibilterra
Galapagos|Galapagosinseln|îles Galápagos|islas Galápagos|isole Galápagos
Great Barrier Reef|Großes Barriereriff|Grande Barrière de corail|Gran Barrera de Coral|Grande barriera corallina
"""
ROWS = [row.split("|") for row in NAMES.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_name_in_any_of_the_languages_is_the_same_place(row: list[str]) -> None:
    english, *others = row
    box = GAZETTEER.lookup(english)[0].bbox
    assert {
        name: GAZETTEER.lookup(name)[0].bbox if GAZETTEER.lookup(name) else None for name in others
    } == dict.fromkeys(others, box)


@pytest.mark.parametrize(
    ("language", "question", "place"),
    [
        ("de", "Salzgehalt der Ostsee seit 1990", "Baltic Sea"),
        ("de", "Niederschlag in der Toskana", "Toscana"),
        ("fr", "salinité de la mer Baltique depuis 1990", "Baltic Sea"),
        ("fr", "neige dans les Apennins", "Apennines"),
        ("es", "bosques de la Selva Negra", "Black Forest"),
        ("es", "subida del nivel del mar en Fiyi", "Fiji"),
        ("it", "boschi della Foresta Nera", "Black Forest"),
        ("it", "deforestazione in Amazzonia dal 1985", "Amazon basin"),
    ],
)
def test_a_question_in_its_language_names_its_place(language: str, question: str, place: str) -> None:
    assert [found.place.name for found in READER.read(question, language)] == [place]


def test_the_rivers_of_spain_are_no_province_of_chile() -> None:
    assert [found.place.name for found in READER.read("caudal de los ríos de España", "es")] == ["Spain"]
    assert [found.place.name for found in READER.read("lluvia en Los Ríos, Chile", "es")][:1] == ["Los Ríos"]


COUNTRIES = """
CD|en|Democratic Republic of Congo|D.R. Congo|Democratic Republic of the Congo|Congo-Kinshasa
CD|de|Demokratische Republik Kongo|Kongo-Kinshasa
CD|es|República Democrática del Congo
CD|pt|República Democrática do Congo
CG|en|Republic of Congo|Republic of the Congo|Congo-Brazzaville
CG|de|Republik Kongo|Kongo-Brazzaville
CG|es|República del Congo
CG|pt|República do Congo
CN|en|People's Republic of China
CN|de|Volksrepublik China
CN|es|República Popular China
TW|en|Republic of China|Chinese Taipei
TW|fr|République de Chine
KR|en|Republic of Korea
KR|es|Corea del Sur|República de Corea
KP|en|Democratic People's Republic of Korea|DPRK
GM|en|Republic of Gambia|Republic of The Gambia
SD|en|Republic of Sudan
BS|en|Commonwealth of Bahamas
TT|en|Trinidad & Tobago|Trinidad and Tobago
KN|en|St. Kitts & Nevis
GB|en|Britain
CZ|en|Czechia
CZ|de|Tschechien|Tschechischen Republik
CZ|fr|Tchéquie
SY|de|Syrien
TZ|de|Tansania
TZ|fr|Tanzanie
US|de|Vereinigten Staaten
US|es|EE. UU|EEUU
NL|pt|Países Baixos
CM|pt|Camarões
MM|fr|Birmanie
MM|pt|Mianmar
SS|it|Sud Sudan
AR|es|República Argentina
AU|en|Commonwealth of Australia
"""
COUNTRY_NAMES = [
    (code, language, name)
    for code, language, *names in (row.split("|") for row in COUNTRIES.strip().splitlines())
    for name in names
]


@pytest.mark.parametrize(("code", "language", "name"), COUNTRY_NAMES, ids=[name for *_, name in COUNTRY_NAMES])
def test_each_name_of_a_country_is_read_whole(code: str, language: str, name: str) -> None:
    mentions = READER.read(f"{'rain in' if language == 'en' else 'precipitation'} {name}", language)
    assert [(mention.text, mention.place.country, mention.place.kind) for mention in mentions] == [
        (name, code, "country")
    ]
