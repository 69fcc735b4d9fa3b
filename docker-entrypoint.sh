#!/bin/sh
# The roles of the image; `health` judges the one that runs; anything else is a `sonde` command.
set -eu
case "${1:-api}" in
  api)
    export SONDE_API__HOST="${SONDE_API__HOST:-0.0.0.0}"
    exec python -m sonde.server ;;
  worker)
    exec celery -A sonde.celery_app worker --loglevel INFO -Q "${SONDE_QUEUES:-harvest,documents,library,embed}" \
      --concurrency "${SONDE_CONCURRENCY:-1}" ;;
  beat)
    exec celery -A sonde.celery_app beat --loglevel INFO --pidfile= ;;
  migrate)
    exec python -m sonde.ops.prepare_indices ;;
  health)
    queues="${SONDE_QUEUES:-harvest,documents,library,embed}"
    case "$(tr '\0' ' ' < "/proc/${SONDE_MAIN_PID:-1}/cmdline")" in
      *sonde.server*) exec python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:${SONDE_API__PROBES_PORT:-${SONDE_API__PORT:-8080}}/healthz', timeout=10)" ;;
      *" worker "*) exec python -m sonde.ops.worker_health alive $(echo "${queues}" | tr ',' ' ') ;;
      *" beat "*) exec python -m sonde.ops.worker_health beat ;;
    esac ;;
  *)
    exec sonde "$@" ;;
esac
