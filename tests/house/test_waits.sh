#!/bin/sh
# No test waits by sleeping: scripts/waits.py finds none, and finds those that are planted.
set -eu
cd "$SOTTO_SOURCE"
python3 -B scripts/waits.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests/cli"
printf 'ls\nsle''ep 0.3\n' > "$folder/tests/cli/a.sh"
printf 'void f(void) {\n  usl''eep(3000);\n  /* asleep */\n}\n' > "$folder/tests/cli/b.c"
printf 'import time\ntime.sle''ep(1)\n' > "$folder/tests/cli/c.py"
if python3 -B scripts/waits.py "$folder" > "$folder/found"; then
  echo "FAILED: planted sleeps are not found" >&2
  exit 1
fi
[ "$(cut -d : -f 1,2 "$folder/found" | tr '\n' ' ')" = "tests/cli/a.sh:2 tests/cli/b.c:2 tests/cli/c.py:2 " ] || { cat "$folder/found" >&2; exit 1; }
