#!/bin/sh
# A run folder of the version before: its statement is shown, and the run is not used.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 60 --out d.sotto > /dev/null
"$SOTTO" train --method gap --data d.sotto --hidden 4 --epochs 1 --encoder-epochs 1 --out old > /dev/null 2>&1
"$SOTTO" predict old > /dev/null || fail "a run of this version is not answered from"
rm old/statement.json
cat > old/privacy.json << 'END'
{"epsilon": 4.0, "total_epsilon": 4.0, "delta": 1e-6, "adjacency": "edge", "sound": false,
 "verdict": "NOT PRIVATE: noise from a fixed seed", "insecure": true}
END
cat > refused << 'END'
predict old
audit old
train --resume --out old
train old/run.yaml --resume --out old
END
while read -r words; do
  # shellcheck disable=SC2086
  expect 1 "old: an older version of sotto wrote this statement (privacy.json)" "$SOTTO" $words
  grep -q "method    gap" output || fail "$words: does not name the method"
  grep -q "epsilon 4 at delta 1e-06" output || fail "$words: does not say epsilon"
  grep -q "verdict   NOT PRIVATE: noise from a fixed seed" output || fail "$words: does not say the verdict"
  grep -q "cannot go on with a run of an older one" output || fail "$words: does not say what is refused"
done < refused
printf 'method: vesper\n' > party.yaml
expect 1 "older version" "$SOTTO" party party.yaml --role data --data d.sotto \
  --insecure-loopback --listen 127.0.0.1:0 --peer label --out old
[ -f old/statement.json ] && fail "a refused run wrote a statement"
exit 0
