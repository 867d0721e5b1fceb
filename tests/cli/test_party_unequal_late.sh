#!/bin/sh
# A client that comes late finds the others waiting, and all end well. Where all clients refuse themselves at once, each says why.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
begin
logs=c1.log await "client 1 does not wait" grep -q "waiting for\|connected" c1.log
moment 150 # late: the others hold their connections meanwhile
third second.csv || { cat c3.log >&2; fail "a late client failed"; }
for pid in $server_pid $first_pid $second_pid; do wait "$pid" || { cat s.log c1.log >&2; fail "a late client ended the others"; }; done

# All clients refuse themselves at once: the server hears the others while it gives up because of the first.
refused second.csv "no published split" "no published split" --split planetoid
