#!/bin/sh
# A mechanism is its descriptor and a line of the table: geometric.patch adds one to a copy of the sources as
# docs/add-a-mechanism.md says, and it passes the conformance of all mechanisms.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=${SOTTO_SOURCE:-$here/../..}
library=${SOTTO_PLAIN:-$source/build/sotto}
library=${library%/*}/libsotto.a
[ -f "$library" ] || { echo "there is no $library" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

touched=$(sed -n 's,^+++ b/,,p' "$here/geometric.patch" | sort | tr '\n' ' ')
[ "$touched" = "include/sotto/dp.h src/dp/mechanisms/geometric.c " ] || {
  echo "the patch touches other files than the descriptor and the table: $touched" >&2
  exit 1
}
lines=$(sed -n '1,/^--- a\/src/p' "$here/geometric.patch" | grep -c '^+ ')
[ "$lines" -eq 1 ] || { echo "the patch changes $lines lines of the table" >&2; exit 1; }

cp -r "$source/include" "$source/src" "$work"
(cd "$work" && patch -s -p1) < "$here/geometric.patch"
cd "$work"
for file in src/dp/mechanisms/mechanism.c src/dp/mechanisms/geometric.c "$source/tests/dp/test_mechanism_conformance.c"; do
  "${SOTTO_CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Isrc -Iinclude -I"$source/tests/support" -c "$file"
done
"${SOTTO_CC:-cc}" test_mechanism_conformance.o mechanism.o geometric.o "$library" $(pkg-config --libs cmocka libsodium) -lpthread -lm \
  -o conformance
./conformance > said 2>&1 || { cat said >&2; exit 1; }
grep -q 'PASSED.* 6 test' said || { cat said >&2; exit 1; }
