#!/bin/sh
# The passwords of compose.yaml, each made once: what is there stays, so that a stack with data goes on working.
# Containers of several users read the files, hence 644; the folder is the owner's alone.
set -eu
folder="${1:-.compose-secrets}"
mkdir -p "${folder}"
chmod 700 "${folder}"
word() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
for name in elastic_password elasticsearch_password alerts_secret; do
  [ -s "${folder}/${name}" ] || word > "${folder}/${name}"
done
if [ ! -s "${folder}/valkey_conf" ] || [ ! -s "${folder}/broker_url" ]; then
  password="$(word)"
  printf 'requirepass %s\n' "${password}" > "${folder}/valkey_conf"
  printf 'redis://:%s@valkey:6379/0' "${password}" > "${folder}/broker_url"
fi
chmod 644 "${folder}"/*
