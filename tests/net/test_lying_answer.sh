#!/bin/sh
# A party that lies in a prediction, over TLS: the other side says what is wrong, the prediction ends on both, and nothing
# is written.
. "$(dirname "$0")/../cli/common.sh"
. "$(dirname "$0")/../cli/party.sh"
sed -i 's/^publication: .*/publication: counts/; s/^seeds: .*/seeds: 1/; s/^grace: .*/grace: 8/' run.yaml
data da > /dev/null 2> da.log &
label la > /dev/null 2> la.log || { cat la.log >&2; fail "the label party failed"; }
wait $! || { cat da.log >&2; fail "the data party failed"; }
true_program=$SOTTO

ask_data() { "$SOTTO" run predict da --role data --dir bank --peer partner --listen "$host:$port" "$@"; }
ask_label() { "$SOTTO" run predict la --role label --dir partner --peer "bank=$host:$port" "$@"; }

# lie ROLE NAME WORDS [FLAGS]: the party of that role lies; the other one says these words.
lie() {
  role=$1 name=$2 words=$3
  shift 3
  rm -f da/predictions.* la/predictions.*
  (SOTTO_LIE=$name SOTTO=$SOTTO_LYING_ANSWER; export SOTTO_LIE; "ask_$role" "$@") > liar.out 2>&1 &
  pid=$!
  other=label
  [ "$role" = label ] && other=data
  shared=$(echo " $*" | grep -o -- "--\(learns\|data\|epsilon\) [a-z0-9.]*" || true) # both have to say these
  "ask_$other" $shared > other.out 2>&1 && { cat other.out >&2; fail "$role $name: the other side went on"; }
  wait "$pid" && fail "$role $name: the liar ended well"
  grep -q "$words" other.out || { cat other.out liar.out >&2; fail "$role $name: the other side does not say '$words'"; }
  [ -z "$(ls da/predictions.* la/predictions.* 2> /dev/null)" ] || fail "$role $name: something was written"
}
lie data rows "embeddings.asked"
lie data nan "embeddings.asked"
lie data kind "embeddings.asked"
lie data name "embeddings.asked"
lie data unpaid "counts"
lie data counts "counts"
lie data asked "4294967295 nodes are asked for"
lie data nodes "not in ascending order" --nodes 3,5,9
lie data outside "not in ascending order below 300" --nodes 3,5,9
lie label nodes "not in ascending order" --nodes 3,5,9
lie label asked "4294967295 nodes are asked for"
lie label classes "there are 2147483647 classes" --learns data
lie label class "there are 1 classes" --learns both
lie label rows "answers" --learns both
lie label nan "answers" --learns both
lie label kind "answers" --learns data
lie label sum "no row of class probabilities" --learns both
lie label negative "no row of class probabilities" --learns both

# About other data the label party names clusters: none of them draws more than the plan has.
"$SOTTO" data generate sbm --nodes 300 --features 16 --inside 9 --out new.sotto > /dev/null
others="--data new.sotto --epsilon 2"
lie label rounds "asks for 9, and the run has" $others
lie label clusters "there are 2 to 1024" $others
lie label cluster "node 0 is in cluster 4" $others
lie label level "at level 0.5" $others
lie label rows "clusters" $others
lie label nan "clusters" $others
lie data rows "embeddings.all" $others
lie data counts "counts" $others
lie data unpaid "counts" $others
[ "$(charges new.sotto)" -le 9 ] || fail "a lie made more than the release of its command"

# The planted program without a lie is the program.
SOTTO=$SOTTO_LYING_ANSWER ask_data > d.out 2>&1 &
SOTTO=$true_program ask_label > l.out 2>&1 || { cat l.out >&2; fail "without a lie there is no answer"; }
wait $! || { cat d.out >&2; fail "without a lie the data party failed"; }
