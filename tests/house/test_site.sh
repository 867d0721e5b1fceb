#!/bin/sh
# The parts of `make docs` that need no packages, and the links between documents.
set -eu
exec python3 -B "$(dirname "$0")/site.py"
