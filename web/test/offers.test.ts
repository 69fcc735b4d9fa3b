import assert from "node:assert/strict";
import test from "node:test";
import { endingOf, offersOf } from "../src/record/offers.ts";
import { pythonOf } from "../src/record/python.ts";
import { qgisOf } from "../src/record/qgis.ts";
import type { Link } from "../src/types.ts";

/** The access and address by which a program opens the link. */
function opened(link: Link): string[] {
  return offersOf([link]).openings.map((one) => `${one.access} ${one.href}`);
}

test("a link is opened as what it says it is, or as its address looks", () => {
  assert.deepEqual(opened({ href: "https://s.org/ows?service=WMS&request=GetCapabilities&map=a", "sonde:protocol": "OGC:WMS-1.3.0-http-get-capabilities" }), ["wms https://s.org/ows?map=a"]);
  assert.deepEqual(opened({ href: "https://s.org/wfs?SERVICE=WFS&VERSION=2.0.0" }), ["wfs https://s.org/wfs"]);
  assert.deepEqual(opened({ href: "https://s.org/gwc/service/wmts?REQUEST=getcapabilities" }), ["wmts https://s.org/gwc/service/wmts"]);
  assert.deepEqual(opened({ href: "https://s.org/oapi/collections/lakes", "sonde:protocol": "OGC API Features" }), ["features https://s.org/oapi/collections/lakes"]);
  assert.deepEqual(opened({ href: "https://s.org/thredds/dodsC/sst.nc.html" }), ["opendap https://s.org/thredds/dodsC/sst.nc"]);
  assert.deepEqual(opened({ href: "https://s.org/thredds/dodsC/catalog.html" }), []);
  assert.deepEqual(opened({ href: "https://s.org/%7Bz%7D/%7Bx%7D/%7By%7D.png?key=a" }), ["xyz https://s.org/{z}/{x}/{y}.png?key=a"]);
  assert.deepEqual(opened({ href: "https://s.org/tms/1.0.0/relief", "sonde:protocol": "OSGeo:TMS" }), ["xyz https://s.org/tms/1.0.0/relief"]);
  assert.deepEqual(opened({ href: "https://s.org/oapi/collections/lakes/items?f=json" }), ["features https://s.org/oapi/collections/lakes/items?f=json"]);
  assert.deepEqual(opened({ href: "https://s.org/collections/lakes/items/7" }), []);
  assert.deepEqual(opened({ href: "https://s.org/sst.zarr" }), ["zarr https://s.org/sst.zarr"]);
  assert.deepEqual(opened({ href: "https://s.org/get?id=7", type: "text/csv" }), ["csv https://s.org/get?id=7"]);
  assert.deepEqual(opened({ href: "ftp://s.org/sst.nc" }), []);
  assert.deepEqual(opened({ href: "https://s.org/page" }), []);
});

test("only what works is offered: broken links, pictures and pages are no files", () => {
  const links: Link[] = [
    { href: "https://s.org/gone.nc", rel: "download", "sonde:broken": true },
    { href: "https://s.org/picture.tif", rel: "preview" },
    { href: "https://s.org/get-data", rel: "download" },
    { href: "https://s.org/about.zip", rel: "about" },
  ];
  const offers = offersOf(links);
  assert.deepEqual([offers.files, offers.openings], [[], []]);
  assert.equal(offers.page?.href, "https://s.org/get-data");
  assert.deepEqual(offersOf([{ href: "https://s.org/all.zip", rel: "download" }]).files.map((one) => endingOf(one.href)), ["ZIP"]);
});

test("the code names the address as a Python text, whatever the metadata hold", () => {
  const [one] = offersOf([{ href: 'https://s.org/wms?a="b"\n', type: "OGC:WMS", title: 'rain"; import os' }]).openings;
  const code = one ? pythonOf(one) : null;
  assert.match(code ?? "", /WebMapService\("https:\/\/s\.org\/wms\?a=%22b%22", version="1\.3\.0"\)/);
  assert.match(code ?? "", /wanted = "rain\\"; import os"\n/);
});

test("QGIS loads a connection to a service, and opens a file by its address", () => {
  const [wms, csv] = offersOf([{ href: "https://s.org/wms?map=a&b=c" }, { href: "https://s.org/a.csv" }]).openings;
  assert.match((wms && qgisOf(wms, "Rain & <snow>")?.connection) ?? "", /<qgsWMSConnections version="1.0">\n {2}<wms name="Rain &amp; &lt;snow&gt;" url="https:\/\/s.org\/wms\?map=a&amp;b=c"\/>/);
  assert.equal(csv && qgisOf(csv, "x")?.connection, null);
});
