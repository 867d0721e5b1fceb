#!/bin/sh
# Audits on the command line.
. "$(dirname "$0")/common.sh"

expect 0 "example" "$SOTTO" audit --help
expect 0 "verdict          no objection" "$SOTTO" audit mechanism gaussian --trials 4000
expect 0 '"holds":true' "$SOTTO" audit mechanism release --layers 2 --trials 2000 --epsilon 4 --json
expect 2 "did you mean 'mechanism'" "$SOTTO" audit mechanisms
expect 2 "the nearest is 'laplace'" "$SOTTO" audit mechanism laplac
expect 2 "name a mechanism" "$SOTTO" audit mechanism
expect 2 "trials are outside" "$SOTTO" audit mechanism laplace --trials 7
expect 2 "layers are outside" "$SOTTO" audit mechanism release --layers 17
