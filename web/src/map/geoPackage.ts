// The polygons of a GeoPackage, read in the browser: an SQLite database (https://sqlite.org/fileformat2.html) whose tables hold geometries as WKB.

import type { Position } from "geojson";

/** Rings of one table, and the text (WKT) of the reference system of their coordinates. */
export interface Layer {
  rings: Position[][];
  system: string;
}

type Value = string | number | null | Uint8Array;

interface Row {
  id: number;
  values: Value[];
}

const [LEAF, INTERIOR, FIRST_HEADER] = [13, 5, 100];
const TEXT = new TextDecoder();

export function layersOfGeoPackage(file: Uint8Array): Layer[] {
  const database = new Database(file);
  const roots = new Map(database.rows(1).filter(({ values }) => values[0] === "table").map(({ values }) => [String(values[1]), Number(values[3])]));
  const table = (name: string) => (roots.has(name) ? database.rows(roots.get(name) ?? 0) : []);
  const systems = new Map(table("gpkg_spatial_ref_sys").map(({ id, values }) => [id, String(values[4])]));
  return table("gpkg_geometry_columns").map(({ values: [name, , , system] }) => ({
    rings: table(String(name)).flatMap(({ values }) => values.filter(isGeometry).flatMap(ringsOfGeometry)),
    system: systems.get(Number(system)) ?? "",
  }));
}

function isGeometry(value: Value): value is Uint8Array {
  return value instanceof Uint8Array && value[0] === 0x47 && value[1] === 0x50; // GP
}

/** Outer rings of a polygon or of several. */
function ringsOfGeometry(blob: Uint8Array): Position[][] {
  const envelope = [0, 32, 48, 48, 64][((blob[3] ?? 0) >> 1) & 7] ?? 0;
  return new WellKnownBinary(blob.subarray(8 + envelope)).rings();
}

class WellKnownBinary {
  private readonly view: DataView;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  rings(): Position[][] {
    const little = this.view.getUint8(this.at) === 1;
    this.at += 1;
    const count = () => {
      this.at += 4;
      return this.view.getUint32(this.at - 4, little);
    };
    const kind = count();
    const dimensions = 2 + ([0, 1, 1, 2][Math.floor((kind & 0xffff) / 1000)] ?? 0);
    if (kind % 1000 === 6 || kind % 1000 === 7) return Array.from({ length: count() }, () => this.rings()).flat();
    if (kind % 1000 !== 3) return [];
    const rings = Array.from({ length: count() }, () => Array.from({ length: count() }, () => this.position(dimensions, little)));
    return rings.slice(0, 1);
  }

  private position(dimensions: number, little: boolean): Position {
    const position = [this.view.getFloat64(this.at, little), this.view.getFloat64(this.at + 8, little)];
    this.at += 8 * dimensions;
    return position;
  }
}

/** Reads tables page by page; indices, and changes that are not yet merged from a `-wal` file, are not read. */
class Database {
  private readonly view: DataView;
  private readonly pageSize: number;
  private readonly usable: number;

  constructor(private readonly file: Uint8Array) {
    this.view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    this.pageSize = this.view.getUint16(16) === 1 ? 65_536 : this.view.getUint16(16);
    this.usable = this.pageSize - this.view.getUint8(20);
  }

  rows(page: number): Row[] {
    const start = (page - 1) * this.pageSize;
    const header = start + (page === 1 ? FIRST_HEADER : 0);
    const kind = this.view.getUint8(header);
    if (kind !== LEAF && kind !== INTERIOR) return [];
    const cells = Array.from({ length: this.view.getUint16(header + 3) }, (_, at) => start + this.view.getUint16(header + (kind === LEAF ? 8 : 12) + 2 * at));
    if (kind === LEAF) return cells.map((cell) => this.row(cell));
    return [...cells.map((cell) => this.view.getUint32(cell)), this.view.getUint32(header + 8)].flatMap((child) => this.rows(child));
  }

  private row(cell: number): Row {
    const [size, afterSize] = this.varint(this.file, cell);
    const [id, afterId] = this.varint(this.file, afterSize);
    return { id, values: this.values(this.payload(afterId, size)) };
  }

  /** What does not fit into a page continues on others. */
  private payload(start: number, size: number): Uint8Array {
    const most = this.usable - 35;
    if (size <= most) return this.file.subarray(start, start + size);
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const fitting = least + ((size - least) % (this.usable - 4));
    const local = fitting <= most ? fitting : least;
    const whole = new Uint8Array(size);
    whole.set(this.file.subarray(start, start + local));
    let [filled, page] = [local, this.view.getUint32(start + local)];
    while (page !== 0 && filled < size) {
      const at = (page - 1) * this.pageSize;
      const part = this.file.subarray(at + 4, at + 4 + Math.min(this.usable - 4, size - filled));
      whole.set(part, filled);
      filled += part.length;
      page = this.view.getUint32(at);
    }
    return whole;
  }

  private values(record: Uint8Array): Value[] {
    let [end, at] = this.varint(record, 0);
    let body = end;
    const values: Value[] = [];
    while (at < end) {
      const [type, next] = this.varint(record, at);
      const length = type >= 12 ? Math.floor((type - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0);
      values.push(decoded(type, record.subarray(body, body + length)));
      [at, body] = [next, body + length];
    }
    return values;
  }

  /** A number of one to nine bytes, and where the next begins. */
  private varint(bytes: Uint8Array, start: number): [number, number] {
    let value = 0n;
    for (let at = start; ; at += 1) {
      const byte = BigInt(bytes[at] ?? 0);
      if (at === start + 8) return [Number(BigInt.asIntN(64, (value << 8n) | byte)), at + 1];
      value = (value << 7n) | (byte & 127n);
      if (byte < 128n) return [Number(value), at + 1];
    }
  }
}

function decoded(type: number, bytes: Uint8Array): Value {
  if (type >= 12) return type % 2 === 0 ? bytes : TEXT.decode(bytes);
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
  return Number(BigInt.asIntN(8 * bytes.length, bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)));
}
