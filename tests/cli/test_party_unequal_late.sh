#!/bin/sh
# A client that comes late finds the others waiting, and all end well. Where all clients refuse themselves at once, each says why.
# All hear of a client that never comes, and of one that fails by itself.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unequal.sh"
begin
logs=c1.log await "client 1 does not wait" grep -q "waiting for\|connected" c1.log
moment 150 # late: the others hold their connections meanwhile
third second.csv || { cat c3.log >&2; fail "a late client failed"; }
for pid in $server_pid $first_pid $second_pid; do wait "$pid" || { cat s.log c1.log >&2; fail "a late client ended the others"; }; done

# All clients refuse themselves at once: the server hears the others while it gives up because of the first.
refused second.csv "no published split" "no published split" --split planetoid

begin # none is there for client 3 but a folder in which its training fails
mkdir c3
touch c3/seed-1
third second.csv && fail "a client trained without a folder"
for pid in $server_pid $first_pid $second_pid; do wait "$pid" && fail "another party ended well without client 3" || true; done
grep -q "client3 gave the run up: it stopped: a file or folder of its own failed" s.log || { cat s.log >&2; fail "the server has no reason"; }
grep -q "server gave the run up: client3 stopped: a file or folder of its own failed" c1.log || { cat c1.log >&2; fail "client 1 does not hear who stopped"; }

sed -i 's/^grace: .*/grace: 3/' run.yaml
begin
for pid in $server_pid $first_pid $second_pid; do wait "$pid" && fail "another party ended well without client 3" || true; done
grep -q "limit 'grace' struck: no connection with client3" s.log || { cat s.log >&2; fail "the server does not name who is away"; }
grep -q "server gave the run up: there was no connection with client3 for 3 s" c1.log || { cat c1.log >&2; fail "client 1 does not hear who is away"; }
