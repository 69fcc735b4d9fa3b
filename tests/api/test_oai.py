"""OAI-PMH: the protocol's errors, deletions, and lists that miss nothing."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient
from lxml import etree

from es_mappings.names import alias
from search_api.protocols.oai import PAGE
from tests.service import SAMPLES, Service

COUNT = len(list(SAMPLES.glob("*.xml")))


def ask(http: FlaskClient, **arguments: Any) -> etree._Element:
    answer = http.get("/oai", query_string=arguments)
    assert (answer.status_code, answer.mimetype) == (200, "text/xml")
    return etree.fromstring(answer.data)


def headers(http: FlaskClient, **arguments: Any) -> list[tuple[str, bool]]:
    """Identifier and whether it was deleted, list to its end."""
    found: list[tuple[str, bool]] = []
    while True:
        root = ask(http, **arguments)
        for header in root.iter("{*}header"):
            found.append((str(header.findtext("{*}identifier")), header.get("status") == "deleted"))
        token = root.findtext(".//{*}resumptionToken")
        if not token:
            return found
        arguments = {"verb": arguments["verb"], "resumptionToken": token}


def test_the_mail_address_is_one_by_the_schema(samples: Service) -> None:
    mail = str(ask(samples.http, verb="Identify").findtext(".//{*}adminEmail"))
    assert re.fullmatch(r"\S+@(\S+\.)+\S+", mail)  # emailType of OAI-PMH.xsd


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "badVerb"),
        ({"verb": "Destroy"}, "badVerb"),
        ({"verb": ["Identify", "Identify"]}, "badVerb"),
        ({"verb": "Identify", "x": "1"}, "badArgument"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "marc"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "yesterday"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2020-02-30"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2021-01-01",
          "until": "2020-01-01"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2021-01-01",
          "until": "2022-01-01T00:00:00Z"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "until": "1999-01-01"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "nowhere"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "x", "metadataPrefix": "oai_dc"}, "badArgument"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:sonde:none"}, "idDoesNotExist"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:sonde:"}, "idDoesNotExist"),
        ({"verb": "ListMetadataFormats", "identifier": "urn:x"}, "idDoesNotExist"),
    ],
)  # fmt: skip
def test_an_error_has_the_protocols_code(samples: Service, arguments: dict[str, Any], code: str) -> None:
    error = ask(samples.http, **arguments).find("{*}error")
    assert error is not None
    assert error.get("code") == code


def test_a_list_is_resumed_to_its_end(samples: Service) -> None:
    first = ask(samples.http, verb="ListIdentifiers", metadataPrefix="oai_dc")
    token = first.find(".//{*}resumptionToken")
    assert token is not None
    assert (token.get("completeListSize"), token.get("cursor")) == (str(COUNT), "0")
    assert len(list(first.iter("{*}header"))) == PAGE
    found = headers(samples.http, verb="ListIdentifiers", metadataPrefix="oai_dc")
    assert len(found) == len(set(found)) == COUNT


def test_a_token_of_another_verb_is_refused(samples: Service) -> None:
    first = ask(samples.http, verb="ListIdentifiers", metadataPrefix="oai_dc")
    token = first.findtext(".//{*}resumptionToken")
    error = ask(samples.http, verb="ListRecords", resumptionToken=token).find("{*}error")
    assert error is not None
    assert error.get("code") == "badResumptionToken"


def test_post_asks_the_same(samples: Service) -> None:
    asked = {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:sonde:samples:era5"}
    by_post = samples.http.post("/oai", data=asked)
    assert etree.fromstring(by_post.data).findtext(".//{*}identifier") == "oai:sonde:samples:era5"


def test_what_was_removed_is_told(
    es_client: Elasticsearch, elasticsearch_url: str, prefix: str, tmp_path: Path
) -> None:
    files = sorted(SAMPLES.glob("*.xml"))[:10]
    for file in files:
        shutil.copy(file, tmp_path)
    service = Service(es_client, elasticsearch_url, prefix)
    service.harvest(tmp_path, "small")
    (tmp_path / files[0].name).unlink()
    assert service.harvest(tmp_path, "small").counts.removed == 1
    es_client.indices.refresh(index=f"{alias(prefix, 'records')},{alias(prefix, 'ledger')}")
    found = dict(headers(service.http, verb="ListRecords", metadataPrefix="oai_dc"))
    assert len(found) == 10
    assert [identifier for identifier, removed in found.items() if removed] == [f"oai:sonde:small:{files[0].stem}"]
    es_client.delete_by_query(index=alias(prefix, "records"), query={"match_all": {}}, refresh=True)
    removal = ask(service.http, verb="ListIdentifiers", metadataPrefix="oai_dc").findtext(".//{*}datestamp")
    assert ask(service.http, verb="Identify").findtext(".//{*}earliestDatestamp") == removal
