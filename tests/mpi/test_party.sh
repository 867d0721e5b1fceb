#!/bin/sh
# Ranks are the data party of a run over a network: models, releases, statements and bytes on the wire are those of one
# process, and all ranks refuse together what they do not share.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"

# Names of nodes, which both parties compare, and more nodes than a batch has.
"$SOTTO" data generate powerlaw --nodes 33000 --edges 90000 --features 6 --classes 3 --out g.sotto > /dev/null
awk 'BEGIN { print "id,income,age,label"; for (i = 0; i < 1600; i++) print "n" i "," 30000 + 7919 * i % 20011 "," 20 + 31 * i % 47 "," i % 2 }' > people.csv
awk 'BEGIN { print "source,target"; for (i = 0; i < 1600; i++) print "n" i ",n" (i + 1 + i % 7) % 1600 }' > pairs.csv
"$SOTTO" data import pairs.csv people.sotto --nodes people.csv > /dev/null
made() { # NAME DATA NUMBERS, of ranks, WORDS...
  name=$1 file=$folder/$2 numbers=$3
  shift 3
  for number in 0 $numbers; do
    mkdir "$name$number"
    cd "$name$number"
    printf 'method: vesper\nhidden: 8\nencoder-epochs: 3\nepochs: 20\n' > run.yaml
    before=$(charges "$file")
    both "$number" --data "$file" "$@"
    spent=$(($(charges "$file") - before))
    cd ..
    [ "$number" -gt 0 ] || wanted=$spent
    [ "$spent" -eq "$wanted" ] || fail "$name with $number ranks charged $spent times, and one process $wanted times"
    alike "$name"0 "$name$number" "$number"
    [ "$number" -le 1 ] || python3 - "$name$number/run-data/owner-only/ranks.json" "$number" <<'PYTHON' || fail "traffic of $number ranks"
import json, sys
ranks = json.load(open(sys.argv[1]))
assert len(ranks) == int(sys.argv[2])
assert all(r["halo_sent"] == r["halo_planned"] > 0 for r in ranks), ranks
PYTHON
  done
}
made rounds g.sotto "1 2 4" --epsilon 8 --layers 2
made once g.sotto "2" --epsilon 8 --layers 1 --share-features once
made named people.sotto "3" --epsilon 8 --layers 1
made bare g.sotto "2" --adjacency none --not-private --publication counts

# Refusals are said once, by all ranks together, and leave nothing.
refused() { # STATUS WORDS ROLE WORDS...
  wanted=$1 words_of=$2 role=$3
  shift 3
  expect "$wanted" "$words_of" mpirun --oversubscribe -n 2 "$SOTTO" run rounds0/run.yaml --role "$role" --insecure-loopback --threads 1 \
    --grace 2 --out no "$@"
  [ "$(grep -c "$words_of" output)" -eq 1 ] || fail "'$words_of' was not said once"
  [ ! -e no ] || fail "a refused run left a folder"
}
listening="--listen $host:$port --peer label"
# shellcheck disable=SC2086
{
  refused 1 'label is one process' label --data g.sotto --peer "data=$host:$port"
  refused 1 'these options is one process' data --data g.sotto $listening --publication layers
  refused 1 'align: ranks read all rows' data --data g.sotto $listening --align
  refused 1 'ids: ranks read all rows' data --data g.sotto $listening --ids people.csv
  refused 1 'could not open it' data --data absent.sotto $listening
  refused 2 'unknown option' data --data g.sotto $listening --no-such-option 1
}
