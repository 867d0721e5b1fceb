#!/bin/sh
# Answers over 1, 2 and 4 ranks: the bytes of one process, about the run's own data, about some of its nodes, and about other data from a
# release that is charged once. What ranks do not answer is refused by all of them at once, with the way out.
. "$(dirname "$0")/common.sh"
# More nodes than a batch has, so that each of two ranks has some, and one of four ranks has none.
"$SOTTO" data generate powerlaw --nodes 33000 --edges 90000 --features 6 --classes 3 --out g.sotto > /dev/null
"$SOTTO" data generate powerlaw --nodes 34000 --edges 90000 --features 6 --classes 3 --seed 5 --out other.sotto > /dev/null
nodes=0-9,16380-16390,32999

# answers NAME COUNT WORDS...: 0: one process. The file and what is printed, without the file's name.
answers() {
  name=$1 count=$2
  shift 2
  case $count in
    0) "$SOTTO" predict "$@" --out "$name.csv" > "$name.out" 2>&1 ;;
    *) ranks "$count" ranks_sotto predict "$@" --out "$name.csv" > "$name.out" 2>&1 ;;
  esac || { cat "$name.out" >&2; fail "predict $* in $count"; }
  grep -v 'written to' "$name.out" > "$name.told" || true
}
# same KIND NUMBERS WORDS...: ranks answer as one process does.
same() {
  kind=$1 numbers=$2
  shift 2
  answers "$kind-0" 0 "$@"
  for p in $numbers; do
    answers "$kind-$p" "$p" "$@"
    cmp "$kind-0.csv" "$kind-$p.csv" || fail "$kind: $p ranks answer with other bytes"
    cmp "$kind-0.told" "$kind-$p.told" || { diff "$kind-0.told" "$kind-$p.told" >&2; fail "$kind: $p ranks say something else"; }
  done
}
trained() { # METHOD WORDS... of a run in the folder $at, or of the method's name
  method=$1
  shift
  ranks 2 ranks_sotto train --method "$method" --data g.sotto --hidden 8 --encoder-epochs 2 --threads 1 --insecure-seed 7 --out "${at-$method}" "$@" \
    > output 2>&1 || { cat output >&2; fail "$method did not train"; }
}
trained gap --epochs 2 --epsilon 4 --layers 2
trained caribou --epochs 2 --epsilon 4 --layers 2
trained best --epochs 30 --epsilon 8 --layers 1
trained vesper --epochs 30 --epsilon 20 --layers 2
trained mlp
for method in gap caribou best vesper mlp; do
  same "$method" "1 2 4" "$method"
  same "$method-some" 2 "$method" --nodes $nodes
done
[ "$(wc -l < gap-some-2.csv)" -eq 23 ] || fail "not the nodes that were asked for"

# Other data: ranks make one release, charge it once, and answer as one process does from the same release.
same mlp-other 2 mlp other.sotto
for method in gap caribou best vesper; do
  before=$(charges g.sotto)
  answers "$method-new" 2 "$method" other.sotto --epsilon 4
  [ $(($(charges g.sotto) - before)) -eq 1 ] || fail "$method: $(($(charges g.sotto) - before)) charges of other data"
  [ -s "$method/predictions/1/statement.json" ] || fail "$method: no statement of the release"
  same "$method-again" "2 4" "$method" other.sotto --again 1
  cmp "$method-new.csv" "$method-again-0.csv" || fail "$method: a release answers otherwise when it is read again"
  [ $(($(charges g.sotto) - before)) -eq 1 ] || fail "$method: an answer from a release was charged"
done

# What needs one process is refused by all ranks at once: the launcher does not have to end one that waits.
refused() { # STATUS WORDS COUNT WORDS...
  wanted=$1 words=$2 count=$3
  shift 3
  expect "$wanted" "$words" ranks "$count" ranks_sotto predict "$@"
  [ "$(grep -c "$words" output)" -eq 1 ] || { cat output >&2; fail "'$words' was not said once"; }
  ! grep -q 'mpirun noticed' output || { cat output >&2; fail "the launcher ended a rank"; }
}
printf '0,1\n1,2\n' > few.csv
at=gap-none
trained gap --epochs 2 --adjacency none --layers 1
at=best-none
trained best --epochs 2 --adjacency none --layers 1
same best-none 2 best-none
"$SOTTO" data generate sbm --nodes 300 --classes 3 --features 8 --out small.sotto > /dev/null
"$SOTTO" train --method best --data small.sotto --adjacency node --max-degree 80 --epsilon 8 --anyway --epochs 2 --threads 1 --out best-node > output 2>&1 || { cat output >&2; fail "node level"; }
unset at
refused 1 'start it without mpirun' 2 gap --embeddings rows.csv
refused 1 'start it without mpirun' 2 gap other.sotto --nightly
refused 1 'start it without mpirun' 2 gap-none
refused 1 'start it without mpirun' 2 best-none other.sotto
refused 1 'start it without mpirun' 2 best-node
refused 1 'ranks read native files' 3 gap few.csv --epsilon 1
refused 1 'epsilon is given' 3 gap other.sotto
refused 1 'no such folder' 3 absent
refused 2 'is not a node number' 2 gap --nodes x
# Columns in another order: refused before a release is made and charged.
seq 0 299 | awk 'BEGIN { print "id,a,b,label" } { print $1 "," $1 % 7 / 7 "," $1 % 5 / 5 "," $1 % 3 }' > ab.csv
seq 0 299 | awk 'BEGIN { print "id,b,a,label" } { print $1 "," $1 % 7 / 7 "," $1 % 5 / 5 "," $1 % 3 }' > ba.csv
seq 0 299 | awk 'BEGIN { print "source,target" } { print $1 "," ($1 * 7 + 3) % 300 }' > edges.csv
for order in ab ba; do "$SOTTO" data import edges.csv $order.sotto --nodes $order.csv > /dev/null; done
"$SOTTO" train --method gap --data ab.sotto --epsilon 8 --epochs 2 --encoder-epochs 2 --threads 1 --anyway --out ab > output 2>&1 || { cat output >&2; fail "a run with names"; }
same ab 2 ab
refused 1 'order of the training' 2 ab ba.sotto --epsilon 4
[ ! -e ab/predictions ] || fail "a release was made for answers that are refused"
"$SOTTO" ledger budget other.sotto --epsilon 0.01 > /dev/null
refused 3 'budget' 2 gap other.sotto --epsilon 4
