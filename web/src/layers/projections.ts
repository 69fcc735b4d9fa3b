// Coordinate systems in which services offer tiles and pictures of the world, as formulas. Others are not drawn.

export interface Projection {
  /** Null where it shows nothing. */
  project(lng: number, lat: number): readonly [x: number, y: number] | null;
  /** Metres of one unit, as the scales of WMTS count them. */
  metresPerUnit: number;
  /** Units of 360 degrees along x; null if it does not go around. */
  turn: number | null;
  /** The pole in its middle, if there is one. */
  pole: 1 | -1 | null;
}

const RADIUS_M = 6378137;
const ECCENTRICITY = 0.0818191908426215; // WGS 84
const RADIANS = Math.PI / 180;
const MERCATOR_DEG = 85.06;
const ROUNDING_DEG = 1e-9;

const PLATE_CARREE: Projection = {
  project: (lng, lat) => (Math.abs(lat) > 90 + ROUNDING_DEG ? null : [lng, lat]),
  metresPerUnit: RADIUS_M * RADIANS,
  turn: 360,
  pole: null,
};

const MERCATOR: Projection = {
  project: (lng, lat) => (Math.abs(lat) > MERCATOR_DEG ? null : [RADIUS_M * lng * RADIANS, RADIUS_M * Math.asinh(Math.tan(lat * RADIANS))]),
  metresPerUnit: 1,
  turn: 2 * Math.PI * RADIUS_M,
  pole: null,
};

/** Polar stereographic on the ellipsoid, true to scale at `parallel` (EPSG method 9829). */
function polar(pole: 1 | -1, parallel: number, meridian: number): Projection {
  const sine = Math.sin(parallel * RADIANS);
  const scale = (RADIUS_M * Math.cos(parallel * RADIANS)) / Math.sqrt(1 - (ECCENTRICITY * sine) ** 2) / conformal(parallel);
  return {
    project(lng, lat) {
      if (pole * lat < 0) return null;
      const radius = scale * conformal(pole * lat);
      const angle = (lng - meridian) * RADIANS;
      return [radius * Math.sin(angle), -pole * radius * Math.cos(angle)];
    },
    metresPerUnit: 1,
    turn: null,
    pole,
  };
}

function conformal(lat: number): number {
  const sine = ECCENTRICITY * Math.sin(lat * RADIANS);
  return Math.tan((Math.PI / 4) - (lat * RADIANS) / 2) / ((1 - sine) / (1 + sine)) ** (ECCENTRICITY / 2);
}

const PROJECTIONS = new Map<string, Projection>([
  ...["CRS84", "4326", "4258", "4269"].map((code) => [code, PLATE_CARREE] as const),
  ...["3857", "900913", "3785", "102100", "102113", "41001"].map((code) => [code, MERCATOR] as const),
  ["3995", polar(1, 71, 0)],
  ["3413", polar(1, 70, -45)],
  ["3031", polar(-1, 71, 0)],
  ["3976", polar(-1, 70, 0)],
]);

/** `CRS84` or EPSG's number, of `EPSG:3857`, `urn:ogc:def:crs:EPSG::3857`, `CRS:84` and their like. */
export function codeOf(name: string): string {
  return /crs:?84$/i.test(name.trim()) ? "CRS84" : (/(\d+)$/.exec(name.trim())?.[1] ?? "");
}

export function projectionOf(code: string): Projection | null {
  return PROJECTIONS.get(code) ?? null;
}

/** The codes that a view can draw, best first: those of its pole, then plate carrée, then Mercator. */
export function drawable(codes: readonly string[], pole: 1 | -1 | null): string[] {
  const known = [...PROJECTIONS.keys()].filter((code) => codes.includes(code));
  const seenFrom = (code: string) => projectionOf(code)?.pole ?? null;
  return [...known.filter((code) => pole !== null && seenFrom(code) === pole), ...known.filter((code) => seenFrom(code) === null)];
}
