#!/bin/sh
# A client that lacks a class of the others trains with them.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
table lacking 60 "x y" "a b c"
trains lacking.csv
