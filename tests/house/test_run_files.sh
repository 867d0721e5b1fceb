#!/bin/sh
# The table of a run folder's files in docs/run-files.md is that of the declarations, and no file is written past them.
set -eu
exec python3 -B "$SOTTO_SOURCE/scripts/run_files.py" --check
