"""The tagger of questions: what it is taught, that it learns, and that its folder is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ModelMissing
from core.record import Contact, Keyword, Record
from encoders.tagger import FILE, TAGS, QuestionTagger, best_path, feature_rows, tokens_of, transitions
from reading.gazetteer import Gazetteer
from reading.name_marks import NO_MARK, NameMarks
from reading.places import PlaceReader
from sonde.settings import Settings
from sonde.wiring.models import Models
from training.provenance import Origin
from training.tagger.names import CatalogueNames, GazetteerNames, of_half
from training.tagger.questions import wording

GAZETTEER = Gazetteer()
NAMES = CatalogueNames(("sea ice",), ("Ada Example", "Bo Sample"), ("Institute of Samples",))


def test_a_catalogue_gives_its_keywords_people_and_organisations() -> None:
    record = Record(
        "s:1",
        "s",
        "1",
        "A title",
        keywords=(Keyword("Earth > Ocean > sea ice"),),
        contacts=(Contact("Ada Example", "Institute of Samples"), Contact("data@example.org")),
    )
    assert CatalogueNames.of_records([record]) == CatalogueNames(
        ("sea ice",), ("Ada Example",), ("Institute of Samples",)
    )


def test_the_halves_share_no_name_and_no_frame() -> None:
    learnt, measured = (set(of_half(wording()["shared"]["surname"], half)) for half in ("learnt", "measured"))
    assert learnt
    assert measured
    assert not learnt & measured
    places = [GazetteerNames(GAZETTEER, half)._by_kind["city"] for half in ("learnt", "measured")]
    assert not {place.name for place in places[0]} & {place.name for place in places[1]}


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt"])
def test_the_wording_of_each_language_is_text(language: str) -> None:
    lists = wording()[language]
    assert {"in", "not", "distance", "licence", "organisation", "time"} <= set(lists)
    assert all(isinstance(text, str) for texts in lists.values() for text in texts)


def test_a_mark_says_that_the_next_name_contains_this_one() -> None:
    marks = NameMarks(GAZETTEER).marks(["rain", "Hobart", "Australia"])
    assert marks[0] == NO_MARK
    assert marks[1].startswith("B large")
    assert marks[1].endswith("+")
    assert marks[2] == "B country"


def test_no_path_begins_or_goes_on_inside_another_label() -> None:
    allowed = transitions()
    scores = feature_rows(["x"], [NO_MARK])[:, :1].astype("float32") * 0
    inside, begin = TAGS.index("I-PLACE"), TAGS.index("B-TIME")
    scores = scores.repeat(2, axis=0).repeat(len(TAGS), axis=1)
    scores[0, begin], scores[1, inside] = 5, 4
    assert best_path(scores, allowed)[1] != inside


def test_a_tagger_learns_and_its_folder_is_checked(tmp_path: Path) -> None:
    from training.tagger.learn import TaggerSettings, question_maker, train_tagger

    question = question_maker(GAZETTEER, NAMES, "learnt", 0).questions(1)[0]
    assert [token.text for token in tokens_of(question.text)] == list(question.words)
    out = tmp_path / "tagger"
    settings = TaggerSettings(questions=3000, measured=300, epochs=4)
    card = train_tagger(NAMES, settings, Origin("nothing", "Apache-2.0"), out)
    assert card.figures["PLACE recall"] > 0.5
    assert card.figures["TIME precision"] > 0.5
    assert card.figures["rules and tagger recall"] > card.figures["rules alone recall"]
    tagger = QuestionTagger(out, NameMarks(GAZETTEER))
    assert [(e.text, e.label) for e in tagger.entities("ozone Kenya since 1995")] == [
        ("Kenya", "PLACE"),
        ("since 1995", "TIME"),
    ]
    (out / FILE).write_bytes(b"other")
    with pytest.raises(ModelMissing, match="SHA-256 differs"):
        QuestionTagger(out, NameMarks(GAZETTEER))


def test_a_folder_without_a_tagger_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="sonde train tagger"):
        Models(Settings(_env_file=None, models={"tagger": tmp_path})).question_tagger  # type: ignore[call-arg, arg-type]  # noqa: B018


class Certain:
    """A tagger with one opinion, that remembers what it was asked."""

    def __init__(self, certainty: float) -> None:
        self.certainty = certainty
        self.asked: list[str] = []

    def place_certainty(self, text: str, start: int, end: int) -> float:
        self.asked.append(text[start:end])
        return self.certainty


@pytest.mark.parametrize(("certainty", "places"), [(0.0, []), (0.7, []), (1.0, ["longyearbyen"])])
def test_a_tagger_decides_where_the_rules_have_no_evidence(certainty: float, places: list[str]) -> None:
    tagger = Certain(certainty)
    mentions = PlaceReader(GAZETTEER, tagger=tagger).read("ozone longyearbyen", "en", 4)
    assert [mention.text for mention in mentions] == places
    assert tagger.asked == ["longyearbyen"]


@pytest.mark.parametrize("certainty", [0.0, 1.0])
@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("rainfall in Nairobi", ["Nairobi"]),  # evidence
        ("ozone Kenya", ["Kenya"]),  # a country
        ("Nice reading of orange light", []),  # ordinary words
        ("Paris agreement scenarios", []),  # begins a longer name
        ("Western Europe ozone", ["Western Europe"]),
    ],
)
def test_a_tagger_is_not_asked_where_the_rules_decide(question: str, places: list[str], certainty: float) -> None:
    tagger = Certain(certainty)
    mentions = PlaceReader(GAZETTEER, tagger=tagger).read(question, "en", 4)
    assert ([mention.text for mention in mentions], tagger.asked) == (places, [])


def test_a_certainty_is_that_of_the_least_certain_word(tmp_path: Path) -> None:
    tagger = _fixed_tagger(tmp_path)
    assert tagger.place_certainty("ozone", 0, 5) == pytest.approx(2 / len(TAGS))
    assert tagger.place_certainty("ozone", 9, 12) == 0.0
    assert tagger.place_certainty("", 0, 0) == 0.0


def _fixed_tagger(folder: Path) -> QuestionTagger:
    """Finds every tag equally likely."""
    from safetensors.numpy import save_file

    from encoders.model_card import write_card
    from training.tagger.learn import TaggerNetwork, TaggerSettings, _card

    tensors = TaggerNetwork(0.0).tensors()
    weights = {
        name: values.detach().numpy() * (0.0 if name.startswith("tags") else 1.0) for name, values in tensors.items()
    }
    save_file(weights, folder / FILE)
    write_card(folder, _card(Path("even"), TaggerSettings(), NAMES, Origin("nothing", "Apache-2.0")))
    return QuestionTagger(folder, NameMarks(GAZETTEER))
