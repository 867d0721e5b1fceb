#!/bin/sh
# A server and two holders of a finished run answer together: the file is that of one process, byte for byte, and its
# accuracy the one that training measured. Nothing is charged, and no share is sent. Then what keeps them apart.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"
grep -v -e epsilon run.yaml > secure.yaml

# ask_server RUN [FLAGS], ask_holder1 RUN [FLAGS], ask_holder2 RUN [FLAGS]: one party of a prediction.
ask_server() { of=$1; shift; "${server_program:-$SOTTO}" run predict "$of" --role server --dir hub --listen "$hub_address" --peer bank --peer shop "$@"; }
ask_holder1() { of=$1; shift; "$SOTTO" run predict "$of" --role holder1 --dir bank --listen "$bank_address" --peer "hub=$hub_address" --peer shop "$@"; }
ask_holder2() { of=$1; shift; "${label_program:-$SOTTO}" run predict "$of" --role holder2 --dir shop --peer "hub=$hub_address" --peer "bank=$bank_address" "$@"; }

# all SERVER_FLAGS HOLDER1_FLAGS HOLDER2_FLAGS: one prediction of s-x, a-x and b-x, in s.out, a.out and b.out.
all() {
  ask_server s-x $1 > s.out 2>&1 & server_pid=$!
  ask_holder1 a-x $2 > a.out 2>&1 & bank_pid=$!
  ask_holder2 b-x $3 > b.out 2>&1 || { cat b.out >&2; wait "$server_pid" || true; cat s.out >&2; fail "holder2 failed with $*"; }
  wait "$server_pid" || { cat s.out >&2; fail "the server failed with $*"; }
  wait "$bank_pid" || { cat a.out >&2; fail "holder1 failed with $*"; }
}

# refused WORDS FLAGS...: as `all`, and nobody gets an answer.
refused() {
  words=$1
  shift
  rm -f ?-x/predictions.csv
  ask_server s-x $1 > s.out 2>&1 & server_pid=$!
  ask_holder1 a-x $2 > a.out 2>&1 & bank_pid=$!
  ask_holder2 b-x $3 > b.out 2>&1 && fail "holder2 went on: $words"
  wait "$server_pid" && fail "the server went on: $words"
  wait "$bank_pid" && fail "holder1 went on: $words"
  grep -q "$words" s.out a.out b.out || { cat s.out a.out b.out >&2; fail "nobody says '$words'"; }
  ! ls ?-x/predictions.csv > /dev/null 2>&1 || fail "a refused prediction wrote a file"
}
trained() { sed 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/' b-x/result.json | awk '{ printf "%.4f", $1 }'; }
count_charges() { echo $(($(charges part-1.sotto) + $(charges part-2.sotto) + $(charges g.sotto))); }

# Every way to train a run that answers.
for flags in "" "--publication rows --epsilon 8 --delta 1e-4 --epochs 6" "--epochs 6 --batch-size 40 --aggregator gat" \
  "--initial individually --epochs 6" "--method securegnn --epochs 3" "--epsilon 8 --layers 2 --encoder-epochs 12"; do
  rm -rf ?-x whole
  case $flags in *securegnn*) run_file=secure.yaml own="--insecure-seed 3" ;; *) run_file=run.yaml own="--insecure-seed 3 --epsilon inf" ;; esac
  $last "$SOTTO" train "$run_file" --data g.sotto --threads 1 --out whole $own $flags > /dev/null 2> whole.log || { cat whole.log >&2; fail "$flags"; }
  all_three x $flags
  before=$(count_charges)
  expect 0 "accuracy         $(trained) of 60 test nodes" "$SOTTO" predict whole
  all "" "" ""
  # securegnn's shares, and so the last digits of its scores, are drawn anew by each process.
  case $flags in
    *securegnn*) ;;
    *) cmp whole/predictions.csv b-x/predictions.csv || fail "three parties answer otherwise than one process with $flags" ;;
  esac
  [ "$(count_charges)" -eq "$before" ] || fail "a prediction was charged with $flags"
  grep -q "accuracy         $(trained) of 60 test nodes" b.out || { cat b.out >&2; fail "another accuracy than $(trained) with $flags"; }
  [ ! -e a-x/predictions.csv ] && [ ! -e s-x/predictions.csv ] || fail "someone learnt what the label holder alone should"
  for party in s a b; do
    grep -q '"share": 0' $party-x/predictions.json || { cat $party-x/predictions.json >&2; fail "shares were sent again with $flags"; }
  done
  case $flags in
    *securegnn* | *"--layers 2"*) ! grep -q hidden.asked s-x/predictions.json || fail "the server sent rows that the label holder has" ;;
    *) grep -q '"hidden.asked"' s-x/predictions.json || fail "no record of what the server exposed with $flags" ;;
  esac
done

# The last run goes on. Some nodes, named by either holder: the same rows.
grep -q "this party sends: numbers of nodes[.]" b.out || { cat b.out >&2; fail "the label holder does not say what it sends"; }
grep -q "learnt by        label alone" a.out || { cat a.out >&2; fail "holder1 does not say who learns"; }
"$SOTTO" predict whole --nodes 3,7-9,299 --out some.csv > /dev/null
all "" "--nodes 3,7-9,299" ""
cmp some.csv b-x/predictions-1.csv || fail "nodes of holder1"
all "" "" "--nodes 3,7-9,299"
cmp some.csv b-x/predictions-2.csv || fail "nodes of holder2"
refused "both parties name nodes" "" "--nodes 3" "--nodes 3"

# Who learns: all have to say the same; the server never does.
all "--learns data" "--learns data --nodes 3,7-9,299" "--learns data"
[ ! -e b-x/predictions-3.csv ] || fail "the label holder wrote answers that are not for it"
cmp some.csv a-x/predictions-1.csv || fail "holder1 learnt something else"
grep -q '"answers"' b-x/predictions.json || fail "no record of answers that the label holder sent"
all "--learns both" "--learns both" "--learns both"
cmp whole/predictions.csv a-x/predictions.csv || fail "both: holder1 learnt something else"
cmp whole/predictions.csv b-x/predictions.csv || fail "both: the label holder learnt something else"
[ ! -e s-x/predictions.csv ] || fail "the server learnt"
refused "'predict.learns' is" "--learns both" "--learns label" "--learns both"
expect 2 "let a holder name them" ask_server s-x --nodes 3

# A folder of one party says what to do; what is kept is there, for the owner alone, and is needed.
expect 1 "by .sotto run predict" "$SOTTO" predict b-x
for party in s a b; do expect 0 "written to" "$SOTTO" report "$party-x" --out "$party.html"; done
expect 1 "by .sotto run predict" "$SOTTO" predict s-x part-1.sotto
[ "$(stat -c %a b-x/seed-1/owner-only)" = 700 ] || fail "others may read what the label holder keeps"
mv b-x/seed-1/owner-only kept
refused "is not there: the folder lacks" "" "" ""
mv kept b-x/seed-1/owner-only

# A party that lies: the others say what is wrong, and nobody gets an answer.
lie() { # server|label LIE WORDS FLAGS...
  liar=$1 SOTTO_LIE=$2
  shift 2
  export SOTTO_LIE
  eval "${liar}_program=$SOTTO_LYING_ANSWER"
  refused "$@"
  unset SOTTO_LIE server_program label_program
}
lie label asked "4294967295 nodes are asked for" "" "" ""
lie label outside "not in ascending order below 300" "" "" "--nodes 3,5,9"
lie server asked "4294967295 nodes are asked for" "" "" ""
lie server outside "not in ascending order below 300" "" "" "--nodes 3,5,9"
lie label sum "no row of class probabilities" "--learns both" "--learns both" "--learns both"
lie label classes "there are 2147483647 classes" "--learns data" "--learns data" "--learns data"
rm -rf ?-x
run_file=run.yaml own="--insecure-seed 3 --epsilon inf"
all_three x --epochs 4
for how in rows nan kind name; do lie server $how "hidden.asked" "" "" ""; done
all "" "" ""
grep -q "accuracy         $(trained) of 60 test nodes" b.out || fail "after lies the truth is another"
"$SOTTO" data generate sbm --nodes 300 --features 16 --seed 9 --out other.sotto > /dev/null
expect 0 "answers are from the release of the run" "$SOTTO" predict whole other.sotto
all "" "" ""

# About other data securegnn answers as one process does: shares round each value to 2^-20, one process to a float.
rm -rf ?-x whole
run_file=secure.yaml own="--insecure-seed 3"
"$SOTTO" train secure.yaml --data g.sotto --threads 1 --out whole $own --method securegnn --epochs 30 > /dev/null 2> whole.log || { cat whole.log >&2; fail "securegnn"; }
all_three x --method securegnn --epochs 30
"$SOTTO" data generate sbm --nodes 260 --features 16 --seed 9 --out later.sotto > /dev/null
"$SOTTO" data split later.sotto --vertical --holders 2 --features --edges --label-holder 2 --out new > /dev/null
"$SOTTO" predict whole later.sotto --out some.csv > /dev/null
all "--epsilon inf" "--epsilon inf --data new-1.sotto" "--epsilon inf --data new-2.sotto"
near() { # FILE FILE: the largest difference of two probabilities, and of how many rows
  paste -d, "$1" "$2" | awk -F, 'NR > 1 { for (j = 4; j <= 7; j++) { by = $j - $(j + 7); if (by < 0) by = -by; if (by > most) most = by } } END { print most + 0, NR - 1 }'
}
set -- $(near some.csv b-x/predictions-1.csv)
awk -v most="$1" -v rows="$2" 'BEGIN { exit !(most < 1e-5 && rows == 260) }' || fail "answers under shares differ by $1 from those of one process, over $2 rows"
echo "answers under shares differ by $1 from those of one process"
all "--epsilon inf" "--epsilon inf --data new-1.sotto --nodes 3,7-9,259" "--epsilon inf --data new-2.sotto"
[ "$(wc -l < b-x/predictions-2.csv)" -eq 6 ] || fail "answers about other nodes than those that are asked for"
grep -e '^node' -e '^3,' -e '^[789],' -e '^259,' some.csv > five.csv
set -- $(near five.csv b-x/predictions-2.csv)
awk -v most="$1" 'BEGIN { exit !(most < 1e-5) }' || fail "answers about some nodes differ by $1"
