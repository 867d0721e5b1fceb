#!/bin/sh
# A client with a hundredth of the rows of the others trains with them.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
table small 4 "x y z" "a b c"
trains small.csv
