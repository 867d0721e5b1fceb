#!/bin/sh
# Graphs that ranks make: the bytes of the file and the words are those of one process and one thread, for 2 and 3 ranks. With
# a planted fault, an edge that is forgotten or lost on the way, this test objects. A rank that is killed leaves no half file.
. "$(dirname "$0")/common.sh"

for count in 1 2 3; do
  ranks "$count" ranks_spread "$folder" "$seed" || fail "sections and rows of $count ranks"
done

same() { # WHAT: one.sotto and one.out against what ranks wrote
  cmp one.sotto many.sotto || fail "other bytes of $1 by $count ranks"
  diff one.out many.out >&2 || fail "other words on $1 by $count ranks"
}

generate() { # KIND WORDS...
  # One core and one thread, so that the ranks' threads are compared with those of one.
  taskset -c 0 "$SOTTO" data generate "$@" --out one.sotto > one.out || fail "$* in one process"
  for count in 2 3; do
    ranks "$count" ranks_sotto data generate "$@" --out many.sotto > many.out 2> words || { cat words >&2; fail "$* by $count ranks"; }
    same "$*"
  done
}
generate sbm --nodes 20000 --classes 5 --inside 9 --features 21
generate powerlaw --nodes 300 --edges 900 --features 0 --classes 0
generate powerlaw --nodes 33000 --edges 90000 --features 7 --classes 3

if ranks 2 ranks_dropping data generate powerlaw --nodes 33000 --edges 90000 --features 7 --classes 3 --out many.sotto > output 2>&1; then
  ! cmp -s one.sotto many.sotto || fail "an edge that a rank forgot was not seen"
else
  cat output >&2
  fail "the fault that forgets an edge did not run"
fi
expect 1 'an edge is in only one of its two rows' ranks 2 ranks_losing data generate powerlaw --nodes 33000 --edges 90000 \
  --out lost.sotto
[ ! -e lost.sotto ] || fail "a graph with a lost edge was written"
expect 1 'one process makes such a graph' ranks 2 ranks_sotto data generate chains --out no.sotto
expect 2 'at most a quarter of the pairs' ranks 2 ranks_sotto data generate powerlaw --nodes 10 --edges 900 --out no.sotto
[ ! -e no.sotto ] || fail "a refused graph was written"

# A rank that is killed: the command ends with an error that names it, and what was at the path stays.
"$SOTTO" data generate sbm --nodes 80 --out old.sotto > /dev/null
for victim in 1 2; do
  cp old.sotto cut.sotto
  mpirun --oversubscribe -n 2 "$SOTTO" data generate powerlaw --nodes 600000 --edges 1200000 --features 64 --out cut.sotto > output 2>&1 &
  launcher=$!
  await_or_end "$launcher" "no file was begun" there "cut.sotto.partial.*"
  rank=$(pgrep -P "$launcher" | sort -n | sed -n "${victim}p")
  [ -n "$rank" ] && kill -s KILL "$rank" || fail "the graph was made before the kill"
  code=0
  wait "$launcher" || code=$?
  [ "$code" -ne 0 ] || fail "a command whose rank was killed ended well"
  named_dead $((victim - 1))
  cmp old.sotto cut.sotto || fail "a killed rank left half a file"
  rm -f cut.sotto.partial.*
done
