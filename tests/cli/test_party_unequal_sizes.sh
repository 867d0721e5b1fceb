#!/bin/sh
# A client with a hundredth of the rows of the others trains with them; one without a training row is refused at all parties.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
table small 4 "x y z" "a b c"
trains small.csv
table alone 1 "x y z" "a b c"
refused alone.csv "no labelled node (it has 1) is in the training part" "client3 takes no part, since its table was refused"
