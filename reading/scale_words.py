"""The words of resolution, scale and time step, in six languages, as parts of patterns (lower case)."""

from __future__ import annotations

KILOMETRES = r"km|kilomet(?:er|re)s?|kilomètres?|kilómetros?|chilometri|quilômetros?|kilometern"
METRES = r"m|met(?:er|re)s?|metern|mètres?|metros?|metri"
CENTIMETRES = r"cm|centimet(?:er|re)s?"
DEGREES = r"°|degrees?|deg|grad|degrés?|grados?|gradi|graus?"
ARC_MINUTES = r"arc[\s-]?min(?:ute)?s?|bogenminuten?|minutes? d['’]arc|minutos? de arco"
ARC_SECONDS = r"arc[\s-]?sec(?:ond)?s?|bogensekunden?|secondes? d['’]arc|segundos? de arco"

RESOLUTION = (
    r"resolution|auflösung|résolution|resolución|risoluzione|resolução|grid(?:ded)?|raster|pixels?|cells?|"
    r"spacing|mesh|"
    r"sampling|ground sample distance|gsd|gitter|grille|malla|griglia|grade|dem|dtm|dsm"
)

# What a length measures if it is not a grid: heights of sensors, depths, layers, isobaths.
MEASURES = (
    r"(?:air |dew ?point |surface |maximum |minimum |mean )?temperatures?|air|winds?|dew ?point|humidity|"
    r"gusts?|u[\s-]|v[\s-]|"
    r"depths?|deep|tiefe|profondeur|profundidad|profondità|profundidade|heights?|high(?!\s?[\s-]resolution)|"
    r"höhe|hauteur|"
    r"altura|altezza|altitude|elevation(?!\s(?:model|data))|isobaths?|contours?|above|below|under|level|tall|towers?|"
    r"masts?|a\.?s\.?l|amsl|thick|wide|long|radius|buffer|distance|away|from|waves?|snow|soil|water|"
    r"boreholes?|cores?|"
    r"over ground|agl|s-1|s\^|/s|per|temperatur|wind|vent|viento|vento|température|temperatura"
)
MEASURES_BEFORE = (
    r"(?:depths?|heights?|altitudes?|elevations?|radius|distance|thickness|tiefe|höhe|profondeur)(?: of| from|"
    r" range)?|"
    r"above|below|deeper than|higher than|upper|top|first|under|within|up to|less than|more than|unter|über"
)

# What is measured at a height or a depth: "at 10 m" then gives it.
BY_LEVEL = (
    r"temperatures?|winds?(?: speed| direction| velocity)?|humidity|pressure|salinity|oxygen|currents?|velocity|"
    r"nitrates?|ozone|"
    r"temperatur|wind(?:geschwindigkeit)?|salzgehalt|température|vent|salinité|temperatura|viento|salinidad|vento|"
    r"salinità|salinidade"
)

_STEP_WORDS = (
    ("PT1H", "hourly stündlich horaire horaires horario horaria orario oraria orari horário horária horários"),
    ("P1D", "daily täglich quotidien quotidienne quotidiens quotidiennes journalier journalière journalières diario "
            "diaria diarios diarias giornaliero giornaliera giornalieri giornaliere diário diária diários diárias"),
    ("P7D", "weekly wöchentlich hebdomadaire hebdomadaires semanal semanales settimanale settimanali semanais"),
    ("P10D", "dekadal"),
    ("P5D", "pentad"),
    ("P1M", "monthly monatlich mensuel mensuelle mensuels mensuelles mensual mensuales mensile mensili mensal mensais"),
    ("P3M", "seasonal quarterly saisonal saisonnier saisonnière saisonnières estacional estacionales stagionale "
            "stagionali sazonal sazonais"),
    ("P1Y", "annual annually yearly jährlich annuel annuelle annuels annuelles anual anuales annuale annuali anuais"),
    ("P10Y", "decadal"),
)  # fmt: skip
STEPS = {word: step for step, words in _STEP_WORDS for word in words.split()}

_UNIT_WORDS = (
    ("PT{}M", "minute minutes minutely min minütlich"),
    ("PT{}H", "hour hours hourly stunden stündlich heures horas ore"),
    ("P{}D", "day days daily tage tägig täglich jours días giorni dias"),
    ("P{}M", "month monthly monatlich"),
    ("P{}Y", "yearly jährlich"),
)
STEP_UNITS = {word: step for step, words in _UNIT_WORDS for word in words.split()}
STEP_NOUNS = r"resolution|data|intervals?|means?|averages?|composites?|steps?|time|auflösung|werte|mittel|sampling"

LEVELS: tuple[tuple[str, str], ...] = (
    ("global", r"global(?!\s(?:warming|change|radiation|irradiance|positioning|navigation))|world-?wide|"
               r"weltweit\w{0,2}|globale[snr]?|mondiale?s?|mundial(?:es)?"),
    ("continental", r"continental(?!\s(?:shelf|slope|margin|crust|drift|rise))|continent-wide|pan-european|"
                    r"kontinental\w{0,2}|continentales?|continentaux"),
    ("national", r"national|nationwide|country-wide|bundesweit\w{0,2}|landesweit\w{0,2}|national(?:e[snr]?|aux)|"
                 r"nacional(?:es)?|nazional[ei]|nacionais"),
    ("regional", r"regional(?!\sclimate\smodel)|regionale[snr]?|régiona(?:le?s?|ux)|regionales|regionali|regionais"),
    ("local", r"local(?!\s(?:time|government|noon))|lokale?[snr]?|locales|locali|locais|locaux"),
    ("very_high", r"(?:very|ultra)[\s-]high[\s-]resolution|vhr|sehr hochauflösend\w{0,2}|très haute résolution|"
                  r"muy alta resolución"),
    ("high", r"(?:high|fine)(?:er|est)?[\s-]resolution|hires|hochauflösend\w{0,2}|hohe[rn]? auflösung|"
    r"haute résolution|"
             r"alta (?:resolución|risoluzione|resolução)"),
    ("low", r"(?:low|coarse)r?[\s-]resolution|grobe[rn]? auflösung|basse résolution|baja resolución|"
    r"bassa risoluzione|"
            r"baixa resolução"),
)  # fmt: skip
