"""What the generated documents say: titles, names, offices, dates, sentences and tables, by one seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

_FIRST = """
    Anna Bilal Carla Dmitri Elena Farid Grace Henrik Ines Jamal Katrin Liang Marta Nadia Olaf Priya Quentin Rosa Samuel
    Tomoko Ulrich Vera Wanjiru Xavier Yusuf Zofia
"""
_LAST = """
    Abernethy Baumgartner Castellanos Dlamini Eriksen Fontaine Grimaldi Halloran Ivanova Jansen Kowalczyk Lindqvist
    Mukherjee Nakashima O'Reilly Petrov Quiroga Rasmussen Steinbach Thorvaldsen Uchida Vandenberg Whitcombe Xiang
    Yilmaz Zimmermann
"""
_PARTICLE_NAMES = ("van der Meer", "de la Cruz", "von Arnim", "Saint-Clair", "Müller-Lüdenscheid", "Le Gall")
_TOPICS = """
    groundwater recharge|sea surface temperature|glacier mass balance|soil moisture|magnetic anomalies|
    suspended sediment|permafrost thaw|aerosol optical depth|coastal erosion|river discharge|snow water equivalent|
    volcanic tremor|nitrate concentration|mesoscale eddies|crustal deformation|lake stratification
"""
_PLACES = """
    the northern Andes|the Baltic Sea|central Anatolia|the Mekong delta|western Greenland|the Okavango basin|
    the Gulf of Alaska|southern Patagonia|the Upper Rhine|the Kerguelen plateau|eastern Iceland|the Murray basin
"""
_METHODS = """
    satellite altimetry|a distributed model|isotope tracers|long-term moorings|airborne gravimetry|
    repeat photography|machine learning|borehole logs|radar interferometry|a network of gauges
"""
_TITLES = (
    "Seasonal variability of {topic} in {place} from {method}",
    "Estimating {topic} with {method}: lessons from {place}",
    "On the role of {topic} in the water budget of {place}",
    "{Topic} and {topic2} in {place}, 1981 to 2015",
    "A new data set of {topic} for {place}",
    "Does {topic} control {topic2}? Evidence from {method} in {place}",
    "{Topic} of {place}",
    "Comparison of {method} and {method2} for mapping {topic}",
)
_SENTENCES = (
    "The mean {topic} at the {word} station was {number} in the {word} season.",
    "We find that {topic} depends on {topic2} where the terrain is {word}.",
    "Measurements by {method} began in {year} and cover {place}.",
    "This result agrees with earlier work on {topic}, although the {word} sites differ.",
    "Because {method} resolves only the {word} scales, the budget of {topic} stays open.",
    "In {place} the {word} gauges recorded {number} units before the gap of {year}.",
    "Uncertainty of {topic} is largest near the {word} boundary and decreases inland.",
)
_WORDS = [
    "upper",
    "lower",
    "coastal",
    "inland",
    "alpine",
    "arid",
    "humid",
    "eastern",
    "western",
    "central",
    "deep",
    "shallow",
    "northern",
    "southern",
]
_UNIVERSITIES = (
    "University of {town}",
    "{town} Institute of Technology",
    "Department of Geosciences, {town} University",
)
_OFFICES = (
    "{town} Observatory, National Research Council",
    "Geological Survey of {town}",
    "{town} Laboratory for Water",
)
_TOWNS = [
    "Harrow",
    "Lindau",
    "Marlow",
    "Orsay",
    "Tartu",
    "Bergen",
    "Utrecht",
    "Kyoto",
    "Nelson",
    "Valdivia",
    "Nairobi",
    "Izmir",
]
_MONTHS = """
    January February March April May June July August September October November December
"""
_JOURNALS = (
    "Journal of Applied Hydrography",
    "Geodynamics Letters",
    "Ocean and Ice Science",
    "Annals of Earth Observation",
    "Bulletin of Field Seismology",
    "Climate and Water Research",
    "Continental Margins",
)
_VARIABLES = [
    "Depth",
    "Salinity",
    "Chloride",
    "Runoff",
    "Altitude",
    "Porosity",
    "Nitrate",
    "Turbidity",
    "Pressure",
    "Density",
    "Velocity",
    "Albedo",
]
_UNITS = ("m", "mg/L", "mm", "%", "hPa", "km", "m/s")


@dataclass(frozen=True, slots=True)
class Person:
    first: str
    last: str
    office: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


@dataclass(frozen=True, slots=True)
class Cells:
    """A table's rows, the first ``header`` of them heads; an empty cell right of a head in ``spans`` belongs to it."""

    rows: tuple[tuple[str, ...], ...]
    header: int
    spans: bool = False


class Author:
    """Writes the contents of one document."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # nosec B311 - layouts, no secrets
        self.year = self.random.randint(1994, 2024)

    def choice(self, values: str | tuple[str, ...] | list[str]) -> str:
        if isinstance(values, str):
            values = [value.strip() for value in (values.split("|") if "|" in values else values.split())]
        return self.random.choice([value for value in values if value])

    def _filled(self, pattern: str) -> str:
        topic = self.choice(_TOPICS)
        return pattern.format(
            topic=topic,
            Topic=topic[0].upper() + topic[1:],
            topic2=self.choice(_TOPICS),
            place=self.choice(_PLACES),
            method=self.choice(_METHODS),
            method2=self.choice(_METHODS),
            word=self.choice(_WORDS),
            number=round(self.random.uniform(0.5, 900.0), 1),
            year=self.random.randint(1950, self.year),
        )

    def title(self) -> str:
        text = self._filled(self.choice(_TITLES))
        return text[0].upper() + text[1:]

    def people(self, fewest: int = 1, most: int = 6) -> list[Person]:
        people: list[Person] = []
        while len(people) < self.random.randint(fewest, most):
            last = self.choice(_PARTICLE_NAMES) if self.random.random() < 0.15 else self.choice(_LAST)
            first = self.choice(_FIRST) + (f" {self.choice('A B C D E F G H J K')}." if self.chance(0.4) else "")
            if last not in [person.last for person in people]:
                people.append(Person(first, last, self.office()))
        return people

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def office(self) -> str:
        town = self.choice(_TOWNS)
        return f"{self.choice(_UNIVERSITIES if self.chance(0.6) else _OFFICES).format(town=town)}, {town}"

    def journal(self) -> str:
        return self.choice(_JOURNALS)

    def month(self) -> str:
        return self.choice(_MONTHS)

    def day(self, year: int | None = None) -> str:
        return f"{self.random.randint(1, 28)} {self.month()} {year or self.year}"

    def sentence(self) -> str:
        text = self._filled(self.choice(_SENTENCES))
        return text[0].upper() + text[1:]

    def paragraph(self, fewest: int = 3, most: int = 7) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(fewest, most)))

    def reference(self) -> str:
        person = self.people(1, 1)[0]
        title, year = self.title(), self.random.randint(1960, self.year)
        return (
            f"{person.last}, {person.first[0]}., {year}. {title}. {self.journal()} {self.random.randint(2, 90)}, 1-20."
        )

    def heading(self) -> str:
        topic = self.choice(_TOPICS)
        return self.choice((f"{topic[0].upper()}{topic[1:]}", f"Analysis of {topic}", f"Maps of {topic}"))

    def number(self) -> str:
        value = self.random.uniform(0.0, 10.0 ** self.random.randint(0, 4))
        return f"{value:.{self.random.randint(0, 2)}f}"

    def cells(self, columns: int, rows: int, *, long: bool = False) -> Cells:
        """A first column of names; numbers beside it, or with ``long`` a last column of text over several lines."""
        names = self.random.sample(_VARIABLES, columns)
        has_spans = columns >= 5 and columns % 2 == 1 and self.chance(0.4)
        units = [f"({self.choice(_UNITS)})" for _ in range(columns)]
        heads: list[tuple[str, ...]] = []
        if has_spans:
            heads.append(("Station", *(name for pair in names[: columns // 2] for name in (pair, ""))))
            heads.append(("", *(("Mean", "Range") * (columns // 2))))
        elif self.chance(0.3):
            heads += [("Station", *names[1:]), ("", *units[1:])]
        else:
            heads.append(
                ("Station", *(f"{n} {u}" if self.chance(0.4) else n for n, u in zip(names[1:], units, strict=False)))
            )
        body: list[tuple[str, ...]] = []
        for number in range(rows):
            town = f"{self.choice(_TOWNS)} {self.choice(_WORDS)} {number + 1}"
            values = [self.number() if self.chance(0.94) else "" for _ in range(columns - 1)]
            if not any(values):
                values[0] = self.number()
            if long:
                values[-1] = self.sentence()
            body.append((town, *values))
        if long:
            heads = [(*head[:-1], "Remarks" if place == 0 else "") for place, head in enumerate(heads[:1])]
        return Cells((*heads, *body), len(heads), has_spans and not long)
