#!/bin/sh
# install.sh FOLDER: installs Sonde with everything it needs into FOLDER. Uses no network.
# Needs Python 3.11 or newer of the same minor version as the bundle's name says, and a JDK 21 or newer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?"usage: install.sh FOLDER"}
python=${PYTHON:-python3}

mkdir -p "$folder/bin"
folder=$(cd "$folder" && pwd)
echo "Installing the packages into $folder/python ..."
"$python" -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$here/wheels" \
  --require-hashes --no-deps -r "$here/requirements.lock"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$here"/wheels/sonde_search-*.whl "$here"/wheels/sonde_search_client-*.whl
echo "Copying the models and Elasticsearch ..."
cp -r "$here/models" "$here/downloads" "$folder/"
chmod -R a+rX "$folder"  # Elasticsearch runs as another user if root starts it
cat > "$folder/bin/sonde" <<SCRIPT
#!/bin/sh
export SONDE_MODELS__FOLDER="\${SONDE_MODELS__FOLDER:-$folder/models}"
export SONDE_STACK__CACHE="\${SONDE_STACK__CACHE:-$folder/downloads}"
export SONDE_STACK__FOLDER="\${SONDE_STACK__FOLDER:-$folder/stack}"
exec "$folder/python/bin/sonde" "\$@"
SCRIPT
chmod +x "$folder/bin/sonde"
"$folder/bin/sonde" --version
echo "Done. Start everything and try it: $folder/bin/sonde demo"
