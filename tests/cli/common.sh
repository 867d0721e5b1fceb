# What the scripts of this folder share. $SOTTO is the program under test.
set -eu
source=$(cd "${SOTTO_SOURCE:-$(dirname "$0")/../..}" && pwd)
. "${SOTTO_SOURCE:-$(dirname "$0")/../..}/tests/cli/await.sh"
folder=$(mktemp -d)
# What still runs ends with the script.
end() {
  jobs -p > "$folder/jobs"
  kill -9 $(cat "$folder/jobs") 2> /dev/null || true
  rm -rf "$folder"
}
trap end EXIT
cd "$folder"
export SOTTO_LEDGER="$folder/ledger.db" SOTTO_LEDGER_KEY="$folder/owner.key" NO_COLOR=1
"$SOTTO" ledger init > /dev/null

# $last PROGRAM WORDS...: of an option that stands twice the last one counts. The program itself takes each option once.
last="python3 $source/tests/cli/last.py"

# An address of this machine alone that is this script's own: no other test and no outgoing connection takes its ports.
host=127.$((1 + $$ / 62500 % 126)).$(($$ / 250 % 250)).$((1 + $$ % 250))

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect STATUS WORDS COMMAND...: the command must end with that status and print the words.
expect() {
  wanted=$1 words=$2
  shift 2
  set +e
  "$@" > output 2>&1
  got=$?
  set -e
  [ "$got" -eq "$wanted" ] || { cat output >&2; fail "$*: ended with $got, not $wanted"; }
  grep -q -- "$words" output || { cat output >&2; fail "$*: does not say '$words'"; }
}

# charges DATA: how many releases of data with its name the ledger has; versions of it may have other names.
charges() {
  "$SOTTO" ledger show "$1" --json 2> /dev/null | grep -oF "\"data\":\"$("$SOTTO" data info "$1" | sed -n 's/^  name  *//p')\"" | wc -l
}

# first_class RUN: the class of the first verdict of its statement, which is that of what was asked for.
first_class() {
  sed -n 's/^ *"class": "\(.*\)",$/\1/p' "$1/statement.json" | head -n 1
}

# Functions of awk: draw() is a number in [0, 1), the same on all machines; some awks, as Ubuntu's mawk, pass over the seed of srand().
draws='function seeded(seed) { drawn = (seed + 1) * 7919 % 65521; drawn += drawn * drawn % 65519 * 32771 + 1; draw(); draw() }
function draw() { drawn = drawn * 48271 % 2147483647; return drawn / 2147483647 }
'
# new_ledger NAME DATA...: from here on this data, and what else is not charged yet, is charged to a new ledger.
new_ledger() {
  export SOTTO_LEDGER="$folder/$1"
  "$SOTTO" ledger init > /dev/null
  shift
  for moved in "$@"; do "$SOTTO" ledger move "$moved" --reason "another part of the test" > /dev/null; done
}

# shapes GRAPHS NODES MORE: the folder "shapes" with so many chains and stars of NODES to NODES + MORE - 1 nodes.
shapes() {
  mkdir shapes
  awk -v graphs="$1" -v nodes="$2" -v more="$3" 'BEGIN { node = 0
    for (g = 1; g <= graphs; g++) { size = nodes + g % more; first = node + 1
      for (v = 1; v <= size; v++) { node++; print g > "shapes/shapes_graph_indicator.txt"; print v % 2 > "shapes/shapes_node_labels.txt"
        if (v > 1) { to = g % 2 ? node - 1 : first
          print node ", " to > "shapes/shapes_A.txt"; print to ", " node > "shapes/shapes_A.txt" } }
      print g % 2 > "shapes/shapes_graph_labels.txt" } }'
}
