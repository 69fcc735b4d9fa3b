declare module "shpjs" {
  /** The layers of a zipped shapefile as GeoJSON in degrees. */
  export function parseZip(zip: ArrayBuffer): Promise<object | object[]>;
}
