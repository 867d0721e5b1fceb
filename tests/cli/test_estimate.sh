#!/bin/sh
# sotto plan --trainings: figures near those of the run, no ledger, no run folder, nothing left behind.
. "$(dirname "$0")/common.sh"

mkdir temporary
export TMPDIR="$folder/temporary"
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
few="--data g.sotto --hidden 16 --encoder-epochs 40 --epochs 60"

# shellcheck disable=SC2086
expect 0 "no training used your data, and nothing was charged" "$SOTTO" plan --method gap $few --trainings
[ ! -e runs ] || fail "an estimate left a run folder"
[ "$("$SOTTO" ledger show --json)" = "[]" ] || fail "an estimate charged the ledger"
[ -z "$(ls temporary)" ] || fail "an estimate left $(ls temporary)"

# shellcheck disable=SC2086
"$SOTTO" plan --method gap $few --seeds 3 --trainings --json > said.json || fail "no estimate"
# shellcheck disable=SC2086
"$SOTTO" train --method gap $few --seeds 3 --out run > /dev/null 2>&1 || fail "no run"
python3 - << 'PYTHON' || fail "the estimate is far off: $(cat said.json)"
import json, pathlib
said = json.load(open("said.json"))["estimate"]
disk = sum(f.stat().st_size for f in pathlib.Path("run").rglob("*") if f.is_file())
assert said["method"] == "gap" and said["seeds"] == 3
assert abs(said["disk_bytes"] / disk - 1) < 0.25, (said["disk_bytes"], disk)
assert 5e6 < said["memory_bytes"] < 2e8 and 0 < said["seconds"] < 60
assert [p["items"] for p in said["probes"]] == [300] * len(said["probes"])
PYTHON

# Options that do not fit are refused as they are for the run; a collection of graphs has estimates, too.
# shellcheck disable=SC2086
expect 2 "epsilon: must be above 0" "$SOTTO" plan --method gap $few --epsilon 0 --trainings
"$SOTTO" data split g.sotto --ego 1 --out egos.sotto > /dev/null || fail "no collection was made"
expect 0 "estimate  gwldp on sbm.ego-1" "$SOTTO" plan --method gwldp --data egos.sotto --trainings
expect 2 "leave sizes, ranks" "$SOTTO" plan --method gwldp --data egos.sotto --trainings --ranks 4
expect 2 "no dataset was named" "$SOTTO" plan --method gap --trainings
expect 2 "sotto plan --trainings" "$SOTTO" train --method gap --data g.sotto --estimate
[ -z "$(ls temporary)" ] || fail "an estimate left $(ls temporary)"

# --memory: a run that fits trains, and one that does not is refused with the estimate and leaves no run folder.
# shellcheck disable=SC2086
expect 2 "memory: '60X' is no size; write 500M or 4G" "$SOTTO" train --method gap $few --memory 60X
# shellcheck disable=SC2086
expect 1 "--memory allows 2 MB" "$SOTTO" train --method gap $few --memory 2M --out small
[ ! -e small ] || fail "a run that was refused left a folder"
# shellcheck disable=SC2086
"$SOTTO" train --method gap $few --memory 4G --out held > /dev/null 2>&1 || fail "a run that fits was refused"
[ -e held/statement.json ] || fail "a run within its memory left no statement"
[ -z "$(ls temporary)" ] || fail "--memory left $(ls temporary)"

# Data larger than a batch, with --memory far below one table of rows: the estimate, from small parts, is not low. It
# is of what a training holds under that limit. SOTTO_MEMORY is a limit without a refusal.
"$SOTTO" data generate sbm --nodes 40000 --features 8 --out large.sotto > /dev/null
large="--data large.sotto --encoder-epochs 1 --epochs 1"
# shellcheck disable=SC2086
expect 1 "--memory allows 4 MB" "$SOTTO" train --method gap $large --memory 4M --out below
[ ! -e below ] || fail "a run that was refused left a folder"
if [ "${SOTTO_SANITIZE:-OFF}" != ON ]; then # a sanitizer keeps memory that was freed
  # shellcheck disable=SC2086
  "$SOTTO" train --method gap $large --memory 4M --out below 2> said || :
  # shellcheck disable=SC2086
  SOTTO_MEMORY=4000000 "$SOTTO" train --method gap $large --out above > /dev/null 2>&1 || fail "no run"
  python3 - << 'PYTHON' || fail "the estimate is low, or far off: $(cat said)"
import json, re
need = float(re.search(r"would need (\d+) MB", open("said").read())[1]) - 8  # for pages of the program's files
peak = json.load(open("above/owner-only/memory.json"))["peak_own_mb"]
assert peak - 1 <= need <= 2 * peak, (need, peak)
PYTHON
fi
