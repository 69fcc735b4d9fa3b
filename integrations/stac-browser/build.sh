#!/bin/sh
# build.sh STAC FOLDER: builds Radiant Earth's STAC Browser for one STAC API (SERVICE/stac) into FOLDER/dist. Needs npm and node 20.
set -eu
version=4.0.1
stac=${1:?"usage: build.sh STAC FOLDER"}
folder=${2:?"usage: build.sh STAC FOLDER"}
mkdir -p "$folder"
cd "$folder"
npm pack --silent "@radiantearth/stac-browser@$version"
tar -xzf "radiantearth-stac-browser-$version.tgz" --strip-components 1
# ol-stac 1.6 wants a newer OpenLayers than STAC Browser allows.
npm install --silent --no-audit --no-fund --ignore-scripts ol-stac@1.1.0
npx vue-cli-service build --catalogUrl="$stac" --noSourceMaps --historyMode=hash
