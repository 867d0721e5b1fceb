#!/bin/sh
# sotto align between processes, over TLS: the same order everywhere, what is refused, and kills. ROUNDS=50 IDS=20000
# for a long look; every round prints its seed.
. "$(dirname "$0")/common.sh"
rounds=${ROUNDS:-2}
ids=${IDS:-600}
port=7001
for name in bank shop insurer; do "$SOTTO" identity init --name $name --dir $name > /dev/null; done
for name in shop insurer; do
  "$SOTTO" identity trust $name/own.crt --dir bank > /dev/null
  "$SOTTO" identity trust bank/own.crt --dir $name > /dev/null
done
# Each with a third of its own: the common ids are known.
seq 1 "$ids" | shuf > bank.txt
seq $((ids / 3 + 1)) $((ids + ids / 3)) | shuf > shop.txt
seq $((ids / 2 + 1)) $((ids + ids / 2)) | shuf > insurer.txt
seq $((ids / 3 + 1)) "$ids" | sort > both
seq $((ids / 2 + 1)) "$ids" | sort > all

# With run=exec the process of a function in the background is the program itself, and can be killed.
bank() { out=$1; shift; ${run:-} $last "$SOTTO" align bank.txt --role hub --dir bank --threads 1 --grace 20 --out "$out" "$@"; }
leaf() { name=$1 out=$2; shift 2; ${run:-} $last "$SOTTO" align $name.txt --role leaf --dir $name --threads 1 --grace 20 --out "$out" "$@"; }
same() { # same WANTED FOLDER...: all folders have the wanted ids in one order
  wanted=$1 first=$2
  shift
  sort "$first/ids.txt" | cmp - "$wanted" || fail "$first: not the common ids"
  for out in "$@"; do cmp "$first/ids.txt" "$out/ids.txt" || fail "$first and $out have other orders"; done
}

# Two parties; either may be the hub, either may listen. Rows are those of the own file.
bank ab --listen "$host:$port" --peer shop > bank.log 2>&1 &
leaf shop as --connect "bank=$host:$port" > shop.log 2>&1 || { cat shop.log >&2; fail "the leaf failed"; }
wait $! || { cat bank.log >&2; fail "the hub failed"; }
same both ab as
tail -n +2 as/aligned.csv | while IFS=, read -r row id; do echo "$((row + 1)) $id"; done | sort -n > rows
awk 'NR == FNR { line[NR] = $1; next } line[$1] != $2 { exit 1 }' shop.txt rows || fail "rows are not those of the file"
grep -q "leaf *shop: $ids ids, $(wc -l < both) in common" bank.log || { cat bank.log; fail "the hub is not told sizes"; }
grep -q '"sealed": [1-9]' as/statement.json || fail "the statement has no sealed bytes"
# Done is done, without the other side; and another list does not take its place.
expect 0 "an exchange that was over before" leaf shop as --connect "bank=$host:$port"
expect 0 '"role": "leaf"' leaf shop as --connect "bank=$host:$port" --json
head -n 5 shop.txt > few.txt
expect 1 "holds an alignment of another list" "$SOTTO" align few.txt --role leaf --dir shop --out as --connect "bank=$host:$port"

# A hub that listens for two leaves at one port.
bank b3 --listen "$host:$port" --peer shop insurer > bank.log 2>&1 &
leaf shop s3 --connect "bank=$host:$port" > shop.log 2>&1 &
leaf insurer i3 --connect "bank=$host:$port" > insurer.log 2>&1 || { cat insurer.log >&2; fail "a leaf failed"; }
wait
same all b3 s3 i3
grep -q 'which of its own ids each single leaf has' b3/statement.json || fail "the hub's view is not stated"

# What is refused: before any connection, or by the other side.
printf 'a\nb\na\n' > twice.txt
printf 'id\na\n\nb\n' > empty.csv
expect 1 "twice.txt: lines 1 and 3 have the same id" "$SOTTO" align twice.txt --role hub --dir bank --out x --connect shop=127.0.0.1:1
expect 1 "empty.csv: line 3" "$SOTTO" align empty.csv --column id --role hub --dir bank --out x --connect shop=127.0.0.1:1
[ ! -e x ] || fail "a folder was made for a list that is refused"
expect 1 "sotto identity trust" leaf shop x --connect "insurer=$host:$port"
expect 2 "a leaf has one peer" leaf shop x --connect "bank=$host:$port" "insurer=$host:$port"
expect 2 "named twice" bank x --connect "shop=$host:$port" "shop=$host:$port"
expect 2 "takes NAME=HOST:PORT" bank x --connect "$host:$port"
expect 2 "one party listens" bank x --listen "$host:$port"
expect 2 "hub or leaf" "$SOTTO" align bank.txt --role data --connect "shop=$host:$port"
expect 2 "says which party this is" "$SOTTO" align bank.txt --connect "shop=$host:$port"
expect 2 "first word" "$SOTTO" align --role hub --listen "$host:$port" --peer shop
expect 1 "without TLS nothing identifies a leaf" "$SOTTO" align bank.txt --role hub --listen 127.0.0.1:1 --insecure-loopback --out x \
  --peer shop insurer
rm -rf x
expect 2 "more than 0" bank x --listen "$host:$port" --peer shop --idle-limit 0
expect 1 "'grace' struck" leaf shop x --connect "bank=$host:$port" --grace 0.3
# The insurer is not whom the bank waits for; the shop then is.
bank b4 --listen "$host:$port" --peer shop > bank.log 2>&1 &
expect 1 "'grace' struck" leaf insurer x --connect "bank=$host:$port" --grace 1
leaf shop s4 --connect "bank=$host:$port" > shop.log 2>&1 || fail "a stranger kept the leaf out"
wait
grep -q "refused a connection" bank.log || fail "the stranger is not in the log"
same both b4 s4
# A party of a run is no party of an alignment.
"$SOTTO" data generate sbm --nodes 300 --out g.sotto > /dev/null
printf 'method: mlp\ngrace: 20\n' > run.yaml
"$SOTTO" run run.yaml --role data --data g.sotto --dir bank --peer shop --listen "$host:$port" --out run > party.log 2>&1 &
expect 1 "the role 'data', and this side 'leaf'" leaf shop x --connect "bank=$host:$port"
! wait $! || fail "a run went on with an alignment"

# From two tables to a run, by the commands of docs/align.md.
mkdir tables
awk -v n=300 'BEGIN {
  print "id,f" > "tables/customers.nodes.csv"; print "id,label" > "tables/clients.csv"; print "source,target" > "tables/customers.csv"
  for (i = 0; i < n; i++) {
    print "c" i "," i % 2 + (i % 7) / 7 > "tables/customers.nodes.csv"
    print "c" n + 49 - i "," (i % 2 ? "good" : "bad") > "tables/clients.csv"
    for (k = 1; k < 4; k++) print "c" i ",c" (i + 2 * k * k) % n > "tables/customers.csv"
  }
}'
printf 'method: vesper\nencoder-epochs: 2\nepochs: 2\ngrace: 20\n' > run.yaml
sed -n '/^### From two tables/,/^### Lists/p' "$SOTTO_SOURCE/docs/align.md" > walk
commands() { # commands WHO PATTERN: the lines of one shell that hold the pattern
  sed -n "s/^$1\\$ //p" "$folder/walk" | grep -e "$2" | sed "s/0\\.0\\.0\\.0:7443/$host:$port/; s/bank\\.example:7443/$host:$port/"
}
for who in bank shop; do mkdir tables/$who && cp run.yaml tables/*.csv tables/$who/ && cp -r $who tables/$who/party; done
PATH="$folder/bin:$PATH" && mkdir bin && ln -s "$SOTTO" bin/sotto
both() { # both PATTERN_BANK PATTERN_SHOP: one in the background, one before it
  (cd tables/bank && eval "$(commands bank "$1")") > bank.log 2>&1 &
  (cd tables/shop && eval "$(commands shop "$2")") > shop.log 2>&1 || { cat shop.log >&2; fail "shop: $2"; }
  wait $! || { cat bank.log >&2; fail "bank: $1"; }
}
both "sotto align" "sotto align"
cmp tables/bank/aligned/ids.txt tables/shop/aligned/ids.txt || fail "the common ids differ"
both "sotto run" "sotto run"
grep -q "without edges" shop.log || fail "the shop sees no measures"

# Any party killed at any moment and started again, the hub or the leaves listening: all end with one order.
start=$(date +%s%N)
bank calm-b --connect "shop=$host:$port" "insurer=$host:$((port + 1))" > bank.log 2>&1 &
leaf shop calm-s --listen "$host:$port" --peer bank > shop.log 2>&1 &
leaf insurer calm-i --listen "$host:$((port + 1))" --peer bank > insurer.log 2>&1 || fail "an undisturbed alignment failed"
wait
same all calm-b calm-s calm-i
length=$((($(date +%s%N) - start) / 10000000 + 1))
launch() {
  [ $((round % 2)) -eq 1 ] || { launch_listening "$1"; return; }
  case $1 in
  0) run=exec bank b --connect "shop=$host:$port" "insurer=$host:$((port + 1))" >> bank.log 2>&1 & pid0=$! ;;
  1) run=exec leaf shop s --listen "$host:$port" --peer bank >> shop.log 2>&1 & pid1=$! ;;
  2) run=exec leaf insurer i --listen "$host:$((port + 1))" --peer bank >> insurer.log 2>&1 & pid2=$! ;;
  esac
}
launch_listening() { # the hub listens for both at one port
  case $1 in
  0) run=exec bank b --listen "$host:$port" --peer shop insurer >> bank.log 2>&1 & pid0=$! ;;
  1) run=exec leaf shop s --connect "bank=$host:$port" >> shop.log 2>&1 & pid1=$! ;;
  2) run=exec leaf insurer i --connect "bank=$host:$port" >> insurer.log 2>&1 & pid2=$! ;;
  esac
}
round=0
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  echo "round $round, SOTTO_TEST_SEED=$seed"
  rm -rf b s i
  for who in 0 1 2; do launch $who; done
  kills=3
  while [ "$kills" -gt 0 ]; do
    kills=$((kills - 1))
    random "$length"
    moment "$random"
    random 3
    who=$random
    eval "pid=\$pid$who"
    kill -KILL "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    launch "$who"
  done
  for who in 0 1 2; do
    eval "pid=\$pid$who"
    wait "$pid" || { tail -n 5 bank.log shop.log insurer.log >&2; fail "round $round: party $who failed"; }
  done
  same all b s i
done
