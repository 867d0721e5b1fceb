#!/bin/sh
# bench/peers: the table of its lines, lines that are refused, and peers that are skipped.
set -eu
exec python3 -B "$(dirname "$0")/peers.py"
