#!/bin/sh
# The commands that README.md and docs/ show print what the documents say.
set -eu
exec python3 -B "$(dirname "$0")/documents.py"
