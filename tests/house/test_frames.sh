#!/bin/sh
# The way from main to the ledger's charge: no more calls and files than today. The figures may only fall.
set -eu
[ "${SOTTO_SANITIZE:-}" = ON ] || { echo "this build inlines calls" >&2; exit 77; }
exec "${SOTTO_SOURCE:-$(dirname "$0")/../..}/scripts/frames.py" "$SOTTO" --most 13 8
