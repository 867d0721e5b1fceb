#!/bin/sh
# What several ranks would each do, or each write, is refused under mpirun: once, with the way out, and before anything
# is written. One process that mpirun starts does it.
. "$(dirname "$0")/common.sh"
printf 'method: vesper\n' > run.yaml
ls > before
while read -r named words; do
  # shellcheck disable=SC2086
  expect 2 "start it without mpirun" ranks 3 ranks_sotto $words
  named=$(echo "$named" | tr _ ' ')
  [ "$(grep -c "^sotto: $named: is one process, and mpirun started 3" output)" -eq 1 ] || { cat output >&2; fail "'$words' was not refused once"; }
done << 'END_OF_WORDS'
serve serve run --listen 127.0.0.1:7211
report report run
statement statement run
ledger ledger init
account account gaussian --noise 4
plan plan --method gap --nodes 1000
methods methods
identity identity init --name bank
consortium consortium terms run.yaml
align align --role hub
run_check run check run.yaml --role data
run_predict run predict runs/run-data --role data
data data info run.yaml
data data split run.yaml --vertical --out part
audit_mechanism audit mechanism gaussian
audit_--self audit --self
compare_plot compare plot table.npz
END_OF_WORDS
rm -f output
ls | grep -vxE 'before|after' > after # the shell may make it before ls looks
grep -vx before before | cmp - after || fail "a refused verb wrote something"
ranks 1 ranks_sotto account gaussian --noise 4 > output 2>&1 || { cat output >&2; fail "one process of mpirun is refused"; }
ranks 2 ranks_sotto serve --help > output 2>&1 || { cat output >&2; fail "no help under mpirun"; }
