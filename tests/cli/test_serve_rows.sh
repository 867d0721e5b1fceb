#!/bin/sh
# sotto serve answers about rows of new customers by column name: as a prediction of a table without edges does, without a release or
# a charge, and says which columns, words and ids it does not know. Hostile rows are errors that name the cell.
. "$(dirname "$0")/common.sh"
script=$source/tests/cli/serve_rows.py
at=$host:7201
export PYTHONDONTWRITEBYTECODE=1
ask() { python3 "$script" "$at" "$@"; }
until_ready() { python3 "$source/tests/cli/serve.py" "$at" until /ready '"ready":true'; }

# customers NAME FIRST EDGES: NAME.csv and NAME.nodes.csv of 200 customers from number FIRST on; what each has follows from its number.
customers() {
  awk -v name="$1" -v begin="$2" -v edges="$3" "$draws"'BEGIN {
    print "id,age,income,town,since,vip,label" > (name ".nodes.csv"); print "source,target" > (name ".csv")
    split("bath leeds york", T, " "); split("low mid high", L, " ")
    for (v = begin; v < begin + 200; v++) {
      c = v % 3 + 1; seeded(v); for (k = 0; k < 4; k++) u[k] = draw()
      printf "c%d,%d,%s,%s,20%02d-01-05,%s,%s\n", v, 20 + 5 * c + int(60 * u[0]), edges && v % 9 == 0 ? "" : 300 * c + int(3000 * u[1]), \
        T[(c + int(2.6 * u[2])) % 3 + 1], 10 + int(3 * u[3]), u[3] < 0.5 ? "yes" : "no", L[c] > (name ".nodes.csv")
      for (k = 3; edges && k <= 60; k += 3) if (v - k >= begin) print "c" v - k ",c" v > (name ".csv") } }'
}
customers june 0 1
customers new 500 0
cut -d, -f1-6 new.nodes.csv > rows.csv
cat > columns.yaml <<'END'
sotto-schema: 1
classes: ["low", "mid", "high"]
columns:
- {name: "id", type: id}
- {name: "age", type: number}
- {name: "income", type: number, missing: value, fill: 1200}
- {name: "town", type: category, words: ["bath", "leeds", "york"]}
- {name: "since", type: date, since: 2000-01-01}
- {name: "vip", type: flag}
- {name: "label", type: label}
END
train() { "$SOTTO" train --method "$1" --data june.csv --schema columns.yaml --encoder-epochs 30 --epochs 20 --threads 1 --out "run-$1" $2 > log 2>&1 || { cat log >&2; fail "$1"; }; }
train best "--epsilon 4"
train lpgnet "--epsilon 4"
# A release of so much epsilon has no noise to speak of, and of a table without edges nothing but zeros: so the service answers without it.
"$SOTTO" predict run-best new.csv --epsilon 1000 --out wanted.csv > log 2>&1 || { cat log >&2; fail "the prediction to compare with"; }
[ -d run-best/predictions/1 ] || { cat log >&2; fail "the model reads no counts: the test is blind"; }
charged=$("$SOTTO" ledger show --json | grep -o '"data"' | wc -l)

serve() { "$SOTTO" serve "$@" --listen "$at" > serve.log 2>&1 & pid=$!; until_ready; }
stop() { kill -TERM "$pid"; wait "$pid" || { cat serve.log >&2; fail "it did not end well"; }; }
serve run-best
ask same rows.csv wanted.csv
ask cases
ask fuzz "${ROUNDS:-300}"
python3 "$source/tests/cli/serve.py" "$at" ask POST /predict '{"ids":["c5"],"top":1}' | grep -q '"id":"c5"' || fail "it answers about its own nodes no more"
stop
[ "$("$SOTTO" ledger show --json | grep -o '"data"' | wc -l)" -eq "$charged" ] || fail "rows were charged"
[ "$(ls run-best/predictions)" = 1 ] || fail "rows made a release"

# What has no answer says so: a method that reads a release for each node, and data without a table.
serve run-lpgnet
python3 "$source/tests/cli/serve.py" "$at" ask POST /predict '{"rows":[{"age":40,"income":9,"town":"york","since":"2012-01-05","vip":1}]}' > answer
grep -q "^403" answer && grep -q "put them into the data of the next release" answer || { cat answer >&2; fail "lpgnet"; }
stop
"$SOTTO" data generate sbm --nodes 200 --features 8 --out g.sotto > /dev/null
"$SOTTO" train --method best --data g.sotto --epsilon 4 --encoder-epochs 5 --epochs 5 --threads 1 --out run-g > log 2>&1 || { cat log >&2; fail "no names"; }
serve run-g
python3 "$source/tests/cli/serve.py" "$at" ask POST /predict '{"rows":[{"age":40}]}' > answer
grep -q "^400" answer && grep -q "trained on data without a table" answer || { cat answer >&2; fail "data without names"; }
stop
echo "rows of new customers are answered by name"
