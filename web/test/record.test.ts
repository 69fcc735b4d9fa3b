import assert from "node:assert/strict";
import test from "node:test";
import { citationOf, datacite, plain } from "../src/record/citation.ts";
import { linksOf } from "../src/record/links.ts";
import { originOf } from "../src/record/prov.ts";
import { marks, safeHref } from "../src/safe.ts";
import type { Feature } from "../src/types.ts";

const FEATURE: Feature = {
  id: "samples:rain_1",
  properties: {
    type: "dataset",
    title: "Rain & snow, 100 %",
    created: "2018-06-14",
    contacts: [
      { organization: "Weather Service", roles: ["publisher"] },
      { name: "A. Author", organization: "Institute", roles: ["author"] },
    ],
    externalIds: [{ value: "https://doi.org/10.1234/abc" }],
    "sonde:boxes": [[1, 2, 3, 4]],
    "sonde:times": [["1990-01-01T00:00:00Z", null]],
  },
  links: [
    { rel: "self", href: "http://s/collections/samples/items/samples:rain_1" },
    { rel: "alternate", href: "http://s/collections/samples/items/samples:rain_1?f=dcat" },
    { rel: "related", href: "http://s/collections/samples/items/samples:rain_1/similar" },
    { rel: "about", href: "https://data.org/rain" },
    { rel: "about", href: "javascript:alert(1)" },
  ],
};
const CITED = citationOf(FEATURE, "http://s/records/samples%3Arain_1");

test("a citation has the author before the publisher, and the DOI", () => {
  assert.equal(plain(CITED), "A. Author (2018): Rain & snow, 100 %. Weather Service. https://doi.org/10.1234/abc");
});

test("DataCite knows box, period and kind", () => {
  const said = JSON.parse(datacite(CITED, FEATURE));
  assert.equal(said.types.resourceTypeGeneral, "Dataset");
  assert.deepEqual(said.geoLocations[0].geoLocationBox, { westBoundLongitude: 1, eastBoundLongitude: 3, southBoundLatitude: 2, northBoundLatitude: 4 });
  assert.deepEqual(said.dates, [{ date: "1990-01-01T00:00:00Z/", dateType: "Collected" }]);
});

test("a citation without DOI names the landing page, else the page", () => {
  const linked = citationOf({ ...FEATURE, properties: { title: "T" } }, "http://s/records/x");
  assert.equal(linked.url, "https://data.org/rain");
  const bare = citationOf({ id: "a:b", properties: { title: "T" } }, "http://s/records/a%3Ab");
  assert.equal(plain(bare), "T. http://s/records/a%3Ab");
});

test("the record's links are apart from the service's, and only harmless ones", () => {
  const { own, alternates } = linksOf(FEATURE);
  assert.deepEqual(own.map((link) => link.href), ["https://data.org/rain"]);
  assert.deepEqual(alternates.map((link) => link.href), ["http://s/collections/samples/items/samples:rain_1?f=dcat"]);
});

test("addresses that could do harm are none", () => {
  for (const wrong of ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "x", ""]) {
    assert.equal(safeHref(wrong), null, wrong);
  }
  assert.equal(safeHref("doi:10.1234/a b".replace(" ", "")), "https://doi.org/10.1234/ab");
  assert.equal(safeHref("mailto:a@b.org"), "mailto:a@b.org");
});

test("a fragment's marks are marks and the rest is text", () => {
  assert.deepEqual(marks("a &lt;b&gt; <em>c &amp; d</em>"), [
    { text: "a <b> ", marked: false },
    { text: "c & d", marked: true },
  ]);
});

test("provenance is read out of its graph", () => {
  const graph = [
    { "@type": "prov:Entity", "prov:wasDerivedFrom": [{ "@id": "https://x.org/a" }, { "rdfs:label": "gauges" }], "prov:wasAttributedTo": { "rdfs:label": "Office" } },
    { "prov:generatedAtTime": { "@value": "2026-01-02T00:00:00Z" } },
  ];
  assert.deepEqual(originOf({ "@graph": graph }), {
    derivedFrom: [{ text: "https://x.org/a", href: "https://x.org/a" }, { text: "gauges", href: null }],
    generatedBy: [],
    attributedTo: [{ text: "Office", href: null }],
    harvested: "2026-01-02T00:00:00Z",
  });
  assert.equal(originOf({}), null);
});
