#!/bin/sh
# screenshots.sh URL FOLDER: a real QGIS, without a screen, opens a Sonde service; pictures and result.json go to FOLDER.
# Needs Debian's qgis, python3-qgis and xvfb. Uses a throw-away profile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SONDE_URL=${1:?"usage: screenshots.sh URL FOLDER"}
OUT=${2:?"usage: screenshots.sh URL FOLDER"}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
mkdir -p "$profile/profiles/default/QGIS"
# Plugins with a user interface are off in a new profile.
printf '[PythonPlugins]\nMetaSearch=true\n\n[qgis]\ncheckVersion=false\n' > "$profile/profiles/default/QGIS/QGIS3.ini"
export SONDE_URL OUT XDG_RUNTIME_DIR="$profile" QT_QPA_PLATFORM=xcb LIBGL_ALWAYS_SOFTWARE=1
xvfb-run --auto-servernum --server-args='-screen 0 1280x800x24' \
  timeout 240 qgis --nologo --noversioncheck --width 1280 --height 780 --profiles-path "$profile" --code "$here/inside.py" > "$OUT/qgis.log" 2>&1 || true
cat "$OUT/result.json"
