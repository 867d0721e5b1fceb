#!/bin/sh
# docs/matrix.md is what the program says of its methods, and each cell has a test. A page with another cell is found.
. "$(dirname "$0")/common.sh"
python3 -B "$SOTTO_SOURCE/scripts/matrix.py" --check || fail "docs/matrix.md is not that of the program"
mkdir -p tree/scripts tree/docs tree/tests
cp "$SOTTO_SOURCE/scripts/matrix.py" tree/scripts
sed 's/^| `mlp` | yes</| `mlp` | no</' "$SOTTO_SOURCE/docs/matrix.md" > tree/docs/matrix.md
python3 -B tree/scripts/matrix.py --check > found && fail "a page with another cell passed"
grep -q "its tables are not those of the program" found || { cat found >&2; fail "another cell was not named"; }
grep -q "methods.conformance_matrix: scripts/matrix.py names it" found || { cat found >&2; fail "a test that is not there was not named"; }
cp -r "$SOTTO_SOURCE/tests" tree
cp "$SOTTO_SOURCE/docs/matrix.md" tree/docs
sed -i 's/check_cases(/no_cases(/' tree/tests/methods/test_conformance_matrix.c
sed -i 's/securegnn/secure/g' tree/tests/cli/test_serve_holders.sh
sed -i '/"cli.serve_party", "vesper"/d; /"serve", "cli.party_predict_numbers"/d; /"cli.serve_label_party", "vesper"/d' tree/scripts/matrix.py
python3 -B tree/scripts/matrix.py --check > found && fail "cells without a test passed"
for words in "conformance_matrix: scripts/matrix.py says that it goes over every method" "serve_holders: .* has securegnn, which it does not name" \
  "parties, serve, vesper: no test is named" "parties, serve, mlp: no test is named"; do
  grep -q "$words" found || { cat found >&2; fail "not said: $words"; }
done

expect 0 "predict-new, one-process: dpdgc" "$SOTTO" methods --matrix
expect 0 '"method":"fedavg","place":"parties","step":"serve","there":"partly"' "$SOTTO" methods --matrix --json
