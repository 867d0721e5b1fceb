#!/bin/sh
# tests/faults/planted.txt names every file of faults, and tests that exist.
set -eu
cd "$SOTTO_SOURCE/tests"
status=0
tell() { echo "$*" >&2; status=1; }
grep -v '^#' faults/planted.txt | while read -r test where what; do
  [ -e "$(echo "$test" | sed 's|\.|/test_|').c" ] || [ -e "$(echo "$test" | sed 's|\.|/test_|').sh" ] || tell "planted.txt names $test, which is no test"
  [ "$where" = itself ] || [ -e "$where" ] || tell "planted.txt names $where, which is no file"
  [ -n "$what" ] || tell "$test: what is planted?"
  [ "$status" -eq 0 ] || exit 1
done
for file in faults/*.c mpi/*.c; do
  case $file in
    mpi/main.c | mpi/checks.c | mpi/spread.c | mpi/keyed.c | faults/remembered.c | faults/story.c | faults/table.c) ;; # no faults
    *) grep -q " $file " faults/planted.txt || tell "planted.txt does not name $file" ;;
  esac
done
exit $status
