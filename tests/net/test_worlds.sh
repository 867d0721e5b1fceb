#!/bin/sh
# Parties in degraded worlds (tests/net/worlds): every round completes, or ends with a named error and then completes in a
# whole world, with the same model and no further charge. ROUNDS=500 for a long look; every round prints its seed.
[ "$(uname)" = Linux ] || { echo "skipped: network namespaces and preloaded libraries are tried on Linux alone"; exit 77; }
exec python3 -B "$(dirname "$0")/worlds/worlds.py"
