#!/bin/sh
# Exit statuses, messages, help.
. "$(dirname "$0")/common.sh"

expect 2 "usage: sotto" "$SOTTO"
expect 0 "exit status" "$SOTTO" --help
expect 0 "sotto 0" "$SOTTO" --version
expect 2 "did you mean 'train'" "$SOTTO" trian
for verb in train party data ledger account audit bench align; do expect 0 "example" "$SOTTO" $verb --help; done
expect 2 "did you mean 'epsilon'" "$SOTTO" train --epsilonn 4
expect 2 "no dataset was named" "$SOTTO" train
expect 2 "outside 1 to 64" "$SOTTO" train --data x --layers 0
expect 2 "is none of: gin gcn mean" "$SOTTO" train --data x --aggregator gim
expect 2 "not a number" "$SOTTO" train --data x --epsilon four
expect 2 "epsilon: must be above 0" "$SOTTO" train --data x --epsilon 0
expect 1 "no-such-file" "$SOTTO" train --data no-such-file
expect 2 "one word too many" "$SOTTO" data info a b c
expect 2 "needs a value" "$SOTTO" data info a --target
expect 2 "did you mean --target" "$SOTTO" data info a --targte x
expect 2 "name a kind" "$SOTTO" data generate --out x
expect 2 "unknown kind" "$SOTTO" data generate smb --out x
expect 2 "needs --out" "$SOTTO" data generate sbm
expect 2 "needs --epsilon" "$SOTTO" data histogram x
