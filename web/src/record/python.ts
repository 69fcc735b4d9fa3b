// Python that opens what a record links to.

import type { Opening } from "./offers.ts";

type Write = (address: string, opening: Opening) => string;

function readFeatures(address: string): string {
  return `# pip install geopandas
import geopandas

features = geopandas.read_file(${address})
print(features)`;
}

const WRITTEN: Partial<Record<Opening["access"], Write>> = {
  opendap: (address) => `# pip install xarray netcdf4
import xarray

data = xarray.open_dataset(${address})
print(data)`,
  zarr: (address) => `# pip install xarray zarr fsspec aiohttp
import xarray

data = xarray.open_zarr(${address})
print(data)`,
  netcdf: (address) => `# pip install xarray netcdf4 fsspec aiohttp
import fsspec
import xarray

file = fsspec.open_local("simplecache::" + ${address})
data = xarray.open_dataset(file)
print(data)`,
  csv: (address) => `# pip install pandas
import pandas

table = pandas.read_csv(${address})
print(table)`,
  parquet: (address) => `# pip install pandas pyarrow
import pandas

table = pandas.read_parquet(${address})
print(table)`,
  geojson: readFeatures,
  vector: readFeatures,
  raster: (address) => `# pip install rioxarray
import rioxarray

image = rioxarray.open_rasterio(${address})
print(image)`,
  wms: (address, { name }) => `# pip install owslib
from owslib.wms import WebMapService

service = WebMapService(${address}, version="1.3.0")
${chosen("layer", name)}
picture = service.getmap(
    layers=[layer], srs="EPSG:4326", bbox=service[layer].boundingBoxWGS84, size=(800, 400), format="image/png"
)
with open("map.png", "wb") as file:
    file.write(picture.read())`,
  wfs: (address, { name }) => `# pip install owslib geopandas
import geopandas
from owslib.wfs import WebFeatureService

service = WebFeatureService(${address}, version="2.0.0")
${chosen("layer", name)}
features = geopandas.read_file(service.getfeature(typename=[layer], maxfeatures=1000))
print(features)`,
  features: (address) => {
    const [, root, collection] = /^"(.*?)(?:\/collections(?:\/([^/?"]+).*)?)?"$/.exec(address) ?? [];
    return `# pip install owslib geopandas
import geopandas
from owslib.ogcapi.features import Features

service = Features(${collection ? `"${root}/"` : address})
layer = ${collection ? `"${decodeURIComponent(collection)}"` : "service.feature_collections()[0]"}
found = service.collection_items(layer, limit=1000)
features = geopandas.GeoDataFrame.from_features(found["features"], crs="OGC:CRS84")
print(features)`;
  },
};

/** Null if no package opens it. */
export function pythonOf(opening: Opening): string | null {
  return WRITTEN[opening.access]?.(JSON.stringify(opening.href), opening) ?? null;
}

/** A layer of the service: the one that the metadata name if there is such a one, else the first. */
function chosen(variable: string, name: string): string {
  const first = "next(iter(service.contents))";
  return name ? `wanted = ${JSON.stringify(name)}\n${variable} = wanted if wanted in service.contents else ${first}` : `${variable} = ${first}`;
}
