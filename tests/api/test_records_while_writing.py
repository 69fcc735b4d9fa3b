"""A crawl by ``next`` links misses and doubles nothing while a harvest writes."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from elasticsearch import Elasticsearch

from es_mappings.names import alias
from tests.service import SAMPLES, Service


def test_what_is_there_throughout_comes_exactly_once(
    es_client: Elasticsearch, elasticsearch_url: str, prefix: str, tmp_path: Path
) -> None:
    for file in sorted(SAMPLES.glob("*.xml"))[:40]:
        shutil.copy(file, tmp_path)
    service = Service(es_client, elasticsearch_url, prefix)
    assert service.harvest(tmp_path, "small").state == "complete"
    index = alias(prefix, "records")
    there = [hit["_source"] for hit in es_client.search(index=index, size=100).body["hits"]["hits"]]
    kept = {source["id"] for source in there}
    chance = random.Random(8)
    seen: list[str] = []
    address: str | None = "/collections/all/items?limit=3"
    while address is not None:
        page = service.http.get(address).get_json()
        seen += [feature["id"] for feature in page["features"]]
        for number in range(3):  # a harvest writes: new records before and after, old ones anew
            source = chance.choice(there)
            es_client.index(index=index, id=source["id"], document=source)
            new = {**source, "id": f"{chance.choice('abstz')}:{len(seen)}-{number}"}
            es_client.index(index=index, id=new["id"], document=new)
        es_client.indices.refresh(index=index)
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        address = following[0].removeprefix("http://localhost") if following else None
    assert len(seen) == len(set(seen))
    assert kept <= set(seen)
