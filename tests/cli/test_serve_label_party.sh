#!/bin/sh
# Two holders and the label party of a finished run of vesper stay up, and answer to the last digit what one process answers. Each is
# killed or stopped and comes back. A service that cannot serve does not say that it listens.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/label_party.sh"
script=$SOTTO_SOURCE/tests/cli/serve.py
ask() { python3 "$script" "$@" || { tail -n 4 ./*.log >&2; fail "$*"; }; }
at_label=$host:7301 at_holder1=$host:7302 at_holder2=$host:7303
label="" holder1="" holder2=""

# serve ROLE FLAGS: its service in the background, whose id is in the variable of that name.
serve() {
  role=$1
  shift
  peers=$(peers "$role" | sed "s/--listen/--listen-peer/")
  eval "at=\$at_$role"
  "$SOTTO" serve "$role-x" $peers --listen "$at" "$@" >> "$role-serve.log" 2>&1 &
  eval "$role=$!"
}
serve_all() { for of in $roles; do serve "$of" "$@"; done; }
all_ready() { for side in "$at_label" "$at_holder1" "$at_holder2"; do ask "$side" turns GET /ready 200 '"ready":true'; done; }
stop() { # ROLE
  eval "pid=\$$1"
  kill -TERM "$pid"
  wait "$pid" || { cat "$1-serve.log" >&2; fail "the service of $1 did not end well"; }
}

train_all x
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > whole.log 2>&1 || { cat whole.log >&2; fail "one process"; }
"$SOTTO" predict whole > /dev/null
before=$(charges part-1.sotto)

# All learn: each answers what one process answers, and nothing is charged.
serve holder1 --learns both
ask "$at_holder1" turns GET /ready 503 "no session with lab: it was not here yet"
serve label --learns both
serve holder2 --learns both
all_ready
for at in "$at_label" "$at_holder1" "$at_holder2"; do ask "$at" exact /predict whole/predictions.csv; done
ask "$at_holder2" turns POST /predict 400 "nodes 0 to 299" '{"nodes":[300]}'
[ "$(charges part-1.sotto)" -eq "$before" ] || fail "answers were charged"
expect 1 "another process is at work" "$SOTTO" serve holder1-x $(peers holder1) --listen "$host:7304"
! grep -q listening output || fail "a service that is refused says that it listens"

# Killed and started again: the label party goes on with what it has, a holder needs the label party.
kill -9 "$holder1"
ask "$at_label" turns GET /ready 503 "no session with bank: the connection broke"
ask "$at_label" exact /predict whole/predictions.csv
serve holder1 --learns both
all_ready
kill -9 "$label"
ask "$at_holder2" turns GET /ready 503 "no session with lab: the connection broke"
ask "$at_holder2" turns POST /predict 503 "no session with lab" '{"nodes":[0]}'
serve label --learns both
all_ready
ask "$at_holder2" exact /predict whole/predictions.csv
stop holder2
ask "$at_label" turns GET /ready 503 "stopped its service"
stop label
stop holder1

# The label party alone learns.
serve_all
all_ready
ask "$at_label" exact /predict whole/predictions.csv
ask "$at_holder1" turns POST /predict 403 "for the other party alone" '{"nodes":[0]}'
for of in $roles; do stop "$of"; done

# Other data: each holder makes one release, and answers are those of one process.
"$SOTTO" data generate sbm --nodes 200 --features 16 --seed 5 --out new.sotto > /dev/null
"$SOTTO" data split new.sotto --vertical --holders 2 --label-holder 3 --out new > /dev/null
"$SOTTO" predict whole new.sotto --epsilon 2 --out new.csv > /dev/null 2>&1
before=$(charges part-1.sotto)
serve label --data new-3.sotto --epsilon 2 --learns both
for number in 1 2; do serve "holder$number" --data "new-$number.sotto" --epsilon 2 --learns both; done
all_ready
for at in "$at_label" "$at_holder1"; do ask "$at" exact /predict new.csv; done
[ "$(charges part-1.sotto)" -gt "$before" ] || fail "a release of other data was not charged"
for of in $roles; do stop "$of"; done
echo "three services answer as one process does"
