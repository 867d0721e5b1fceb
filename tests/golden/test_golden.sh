#!/bin/sh
# Every method, variant and placement trains the models and states the figures that golden.jsonl has (pin.py).
# Then the comparison itself: it must find another seed of noise and planted faults, and name the run.
set -eu
command -v python3 > /dev/null || { echo "skipped: python3 is not installed"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1
pin() { python3 "$here/pin.py" "$@"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# finds WORDS RESULTS: the comparison fails and prints the words.
finds() {
  if pin --compare "$here/golden.jsonl" --results "$2" > found; then fail "the comparison is blind to: $1"; fi
  grep -q -- "$1" found || { cat found >&2; fail "the comparison does not name: $1"; }
}

cd "$folder"
pin --work work --out results.jsonl || fail "not every run ended"
pin --compare "$here/golden.jsonl" --results results.jsonl > compared ||
  { cat compared; fail "behaviour differs from the golden file"; }
cat compared

sed '/"name": "vesper.edge"/s/"epsilon": 4.0/"epsilon": 4.5/' results.jsonl > wrong.jsonl
finds '^vesper.edge: .*epsilon: was 4.0, is 4.5' wrong.jsonl
grep -v '"name": "gap.edge"' results.jsonl > missing.jsonl
finds '^gap.edge: was not run' missing.jsonl
if ! grep -q '^NOTE' compared; then # models are compared
  pin --work work --out other.jsonl --noise-seed 8 --only '^dpdgc.edge$'
  finds '^dpdgc.edge: models.one.model.safetensors' other.jsonl
fi
