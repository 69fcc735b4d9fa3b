"""What a look into the index adds to the reading of a question: codes that nothing bears, and better spellings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from es_gateway.client import Elasticsearch
from es_gateway.searching import search_named
from es_mappings.indices import ensure_indices
from es_mappings.names import concrete
from search_api.search.caches import AnswerCache, IndexState
from search_api.search.retrieval.refinement import CheckedWords, WordCheck
from tests.conftest import delete_indices
from tests.counted_searches import count_searches
from tests.integration.small_catalogue import CARD
from tests.service import Service


def test_what_the_question_leaves_out_is_a_reason_of_each_hit(samples: Service) -> None:
    (hit, *_) = samples.search("rainfall, not in Kenya", explain="true")["features"]
    (reason,) = hit["sonde:explanation"]["conditions"]
    assert (reason["code"], reason["subject"]) == ("left_out", "Kenya")
    assert reason["text"] == "is not about Kenya, which the question leaves out"
    (plain, *_) = samples.search("rainfall", explain="true")["features"]
    assert "conditions" not in plain["sonde:explanation"]


def test_upstream_is_read_as_around_and_said(samples: Service) -> None:
    codes = [note["code"] for note in samples.search("rainfall upstream of Nairobi")["sonde:notes"]]
    assert "flow_unknown" in codes


def test_a_code_that_no_record_bears_is_said(samples: Service) -> None:
    answer = samples.search("ds083.2")
    (code,) = answer["sonde:interpretation"]["identifiers"]
    assert (code["value"], code["known"]) == ("ds083.2", False)
    features = samples.search("", limit=100)["features"]
    borne = next(one["value"] for f in features for one in f["properties"]["externalIds"] if one["value"][:3] == "10.")
    (doi,) = samples.search(f"doi:{borne}", type="nothing")["sonde:interpretation"]["identifiers"]
    assert doi["known"]  # whatever the filters leave out


def test_a_question_that_finds_nothing_is_answered_as_it_was_meant(samples: Service) -> None:
    words = {"algorithm": "bm25", "interpret": "place,time"}  # as a name, the word would be found misspelt
    typed = samples.search("glacer alps", **words)
    meant = samples.search("glacier alps", **words)
    assert typed["sonde:correctedFrom"] == "glacer alps"
    assert typed["sonde:interpretation"]["text"] == "glacier alps"
    assert typed["numberMatched"] == meant["numberMatched"] > 0
    assert [f["id"] for f in typed["features"]] == [f["id"] for f in meant["features"]]
    assert "sonde:didYouMean" not in typed
    as_typed = samples.search("glacer alps", spelling="off", **words)
    assert as_typed["sonde:didYouMean"] == "glacier alps"
    assert [note["code"] for note in as_typed["sonde:notes"]] == ["nothing_about_topic"]  # the Alps were understood


def test_a_sure_correction_is_answered_even_if_meaning_alone_would_find_something(samples: Service) -> None:
    slip = {"q": "sea surfase temprature since 1990", "algorithm": "dense"}
    as_typed = samples.search(**slip, spelling="off")
    assert as_typed["numberMatched"] > 0
    meant = samples.search(**slip)
    assert meant["sonde:correctedFrom"] == slip["q"]
    assert meant["sonde:interpretation"]["text"] == "sea surface temperature since 1990"


@pytest.mark.parametrize("question", ["tomography Yellowstone", "pluie hors Corse", "frazil"])
def test_a_word_that_exists_is_answered_as_typed(samples: Service, question: str) -> None:
    answer = samples.search(question, algorithm="bm25")
    assert "sonde:correctedFrom" not in answer
    assert "sonde:didYouMean" not in answer


def test_pages_of_what_was_meant_go_on(samples: Service) -> None:
    address, seen = "/search?q=precipitaton&algorithm=bm25&limit=4", []
    while address:
        answer = samples.http.get(address).get_json()
        seen += [feature["id"] for feature in answer["features"]]
        address = next((link["href"] for link in answer["links"] if link["rel"] == "next"), "")
    assert len(seen) == len(set(seen)) == answer["numberMatched"] > 4


def test_what_finds_nothing_either_way_stays_as_it_was_typed(samples: Service) -> None:
    answer = samples.search("xqzt blorf wibble")
    assert (answer["numberMatched"], answer.get("sonde:correctedFrom")) == (0, None)


@pytest.fixture
def slips(es_client: Elasticsearch, prefix: str) -> Iterator[str]:
    """An index where forty titles say precipitation and most, and one percipitation and one moss."""
    ensure_indices(es_client, prefix, CARD, kinds=("records",))
    index = concrete(prefix, "records", 1)
    titles = ["most precipitation"] * 40 + ["percipitation", "moss"]
    documents = [{"id": str(number), "source": "s", "title": title} for number, title in enumerate(titles)]
    actions = [part for one in documents for part in ({"index": {"_id": one["id"]}}, one)]
    es_client.bulk(index=index, operations=actions, refresh=True)
    yield index
    delete_indices(es_client, prefix)


def _checked(client: Elasticsearch, index: str, question: str, words: str) -> CheckedWords:
    check = WordCheck.of(question, words, index, ("words",), IndexState("uuid", 1), AnswerCache())
    return check.read(search_named(client, check.searches))


def test_a_slip_that_a_record_makes_too_is_no_word(es_client: Elasticsearch, slips: str) -> None:
    found = _checked(es_client, slips, "percipitation germany", "percipitation").spelling
    assert found is not None
    assert (found.question, found.sure) == ("precipitation germany", False)


@pytest.mark.parametrize(("word", "unknown"), [("moss", ()), ("precipitation", ()), ("xqzt", ("xqzt",))])
def test_a_rare_word_is_left_where_nothing_far_more_usual_is_very_near(
    es_client: Elasticsearch, slips: str, word: str, unknown: tuple[str, ...]
) -> None:
    assert _checked(es_client, slips, word, word) == CheckedWords(unknown)


def test_words_that_no_record_has_are_named_and_those_of_terms_and_places_are_not(samples: Service) -> None:
    assert samples.search("volcanoes on Venus")["sonde:unknownWords"] == ["venus"]
    for known in ("rainfall in Africa", "Niederschlag in Afrika", "glacier inventory of Switzerland"):
        assert "sonde:unknownWords" not in samples.search(known), known


def test_what_was_found_about_a_word_is_not_asked_again_until_the_index_changes(
    es_client: Elasticsearch, slips: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, asked = AnswerCache(), count_searches(monkeypatch)

    def checked(state: int, words: str) -> CheckedWords:
        check = WordCheck.of(words, words, slips, ("words",), IndexState("uuid", state), cache)
        return check.read(search_named(es_client, check.searches))

    first = checked(1, "percipitation plughmore")
    assert first.unknown == ("plughmore",)
    assert checked(1, "percipitation plughmore") == first
    assert len(asked) == 1
    assert checked(1, "plughmore xyzzyish").unknown == ("plughmore", "xyzzyish")
    assert len(asked) == 2
    assert checked(2, "plughmore").unknown == ("plughmore",)
    assert len(asked) == 3


def test_a_place_without_anything_about_the_topic_shows_what_lies_there_and_says_so(samples: Service) -> None:
    answer = samples.search("cathedral architecture in Switzerland")
    (note,) = answer["sonde:notes"]
    assert note["code"] == "nothing_about_topic"
    assert answer["features"]
    assert all(feature["geometry"] is not None for feature in answer["features"][:3])


def test_a_question_that_finds_something_has_no_such_note(samples: Service) -> None:
    assert "sonde:notes" not in samples.search("glacier inventory of Switzerland")


@pytest.mark.parametrize("question", ["xqzvbn", "tokifal rudeb", "glacier vudokilat"])
def test_words_that_neither_records_nor_the_model_know_find_nothing(samples: Service, question: str) -> None:
    assert samples.search(question)["numberMatched"] == 0


def test_one_typing_error_is_corrected_in_a_long_question_too(samples: Service) -> None:
    answer = samples.search("long term preciptation measurements of mountain stations")
    assert answer["sonde:interpretation"]["corrected"] == [{"text": "preciptation", "read": "precipitation"}]


def test_relevance_does_not_depend_on_the_other_hits(samples: Service) -> None:
    strong, weak = samples.search("glacier inventory"), samples.search("cathedral architecture in Switzerland")
    assert strong["features"][0]["sonde:relevance"] > 0.3
    assert max(feature["sonde:relevance"] for feature in weak["features"]) < 0.2
    assert "sonde:notes" not in strong


def test_a_note_claims_only_what_holds_for_each_hit(samples: Service) -> None:
    answer = samples.search("cathedral architecture in Switzerland", limit=3)
    (note,) = answer["sonde:notes"]
    assert note["text"] == "No record is about the topic. These records are from the place of the question."


def test_a_question_in_another_language_is_asked_in_english_too(samples: Service) -> None:
    german, english = samples.search("Niederschlagsdaten", limit=3), samples.search("precipitation data", limit=3)
    assert german["sonde:interpretation"]["thematic"] == "Niederschlagsdaten"
    assert german["sonde:interpretation"]["understoodAs"] == "precipitation data"
    assert german["features"][0]["id"] in [feature["id"] for feature in english["features"]]
    assert "sonde:didYouMean" not in german
    assert "understoodAs" not in english["sonde:interpretation"]
    assert "understoodAs" not in samples.search("temperature in winter Alaska")["sonde:interpretation"]


def test_a_format_that_no_hit_states_is_said(samples: Service) -> None:
    answer = samples.search("glacier inventory as GeoPackage")
    assert "offer_missing" in [note["code"] for note in answer.get("sonde:notes", [])]


def test_that_nothing_lies_in_the_asked_time_is_said(samples: Service) -> None:
    (note,) = samples.search("glacier inventory of Switzerland since 2090", limit=3)["sonde:notes"]
    assert (note["code"], note["text"]) == ("nothing_there", "None of these records is from the time of the question.")


def test_that_nothing_lies_in_the_asked_place_is_said(samples: Service) -> None:
    """A worldwide record lies in Fiji too."""
    assert "sonde:notes" not in samples.search("glacier inventory in Fiji", limit=1)
    outside = samples.search("seasonal rainfall maps FEWS NET near Fiji", limit=1)
    assert [note["code"] for note in outside["sonde:notes"]] == ["nothing_there"]


def test_a_place_may_be_named_with_its_larger_place(samples: Service) -> None:
    alone, qualified = (samples.search("snow", place=name)["features"] for name in ("Barrow", "Barrow, Alaska"))
    assert [feature["id"] for feature in alone] != []
    assert samples.http.get("/search?q=snow&place=Nowhere, Alaska").status_code == 400
    assert qualified != []
