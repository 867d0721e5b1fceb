#!/bin/sh
# A client with one class alone, or with a class that no other client has, trains with the others by the names of classes; one without labels is refused.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
table single 60 "z" "a b c"
table strange 60 "x w" "a b c"
table unlabelled 60 "" "a b c"
trains single.csv
trains strange.csv
for run in s c1 c2 c3; do
  grep -q 'classes: \["w", "x", "y", "z"\]' "$run/schema.yaml" 2> /dev/null || [ "$run" = s ] || fail "$run does not have the classes of all"
done
refused unlabelled.csv "no node has a label" "client3 takes no part, since its table was refused"
