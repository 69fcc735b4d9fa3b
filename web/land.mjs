// The world's land as one small SVG in plate carrée, for the maps beside the hits: a mask, so that the page gives its colour.
import { build } from "esbuild";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { feature } from "topojson-client";

const STEP_DEG = 0.5;
const LEAST_DEG = 2; // islands smaller than this are left out

/** `atlas`: Natural Earth's land as topojson. */
export async function landSvg(atlas) {
  const flatRing = await fromSource("src/map/rings.ts", "flatRing");
  const land = feature(atlas, atlas.objects.land);
  const polygons = land.features.flatMap(({ geometry }) => (geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates));
  const rings = polygons.map(([outer]) => flatRing(outer)).filter(isLarge);
  // A ring across 180 degrees is drawn on both sides.
  const turned = rings.flatMap((ring) => [0, -360, 360].filter((turn) => reaches(ring, turn)).map((turn) => pathOf(ring, turn)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${[-180, -90, 360, 180].map((one) => one / STEP_DEG).join(" ")}" preserveAspectRatio="none"><path d="${turned.join("")}"/></svg>\n`;
}

async function fromSource(file, name) {
  const made = await build({ entryPoints: [file], absWorkingDir: dirname(fileURLToPath(import.meta.url)), format: "esm", write: false });
  return (await import(`data:text/javascript,${encodeURIComponent(made.outputFiles[0].text)}`))[name];
}

function isLarge(ring) {
  const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)];
  return Math.max(...lngs) - Math.min(...lngs) >= LEAST_DEG || Math.max(...lats) - Math.min(...lats) >= LEAST_DEG;
}

function reaches(ring, turn) {
  const lngs = ring.map(([lng]) => lng + turn);
  return Math.max(...lngs) > -180 && Math.min(...lngs) < 180;
}

/** Relative steps are shorter to write than places; what rounds to the place before is left out. */
function pathOf(ring, turn) {
  const places = ring.map(([lng, lat]) => [Math.round((lng + turn) / STEP_DEG), Math.round(-lat / STEP_DEG)]);
  let [x, y] = places[0];
  const steps = places.slice(1).flatMap(([toX, toY]) => {
    const step = [toX - x, toY - y];
    [x, y] = [toX, toY];
    return step[0] || step[1] ? [step] : [];
  });
  const text = ([a, b]) => `${a}${b < 0 ? "" : " "}${b}`;
  return `M${text(places[0])}l${steps.map(text).join(" ")}z`;
}
