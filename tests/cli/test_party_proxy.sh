#!/bin/sh
# Parties that may only go out, through an HTTP proxy: runs and alignments pass it, and what is wrong with it is named.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: 2/seeds: 1/' run.yaml
python3 "$(dirname "$0")/connect_proxy.py" "$host" "$port" 1 > proxy.log 2>&1 &
proxy_pid=$!
await "the proxy did not begin" [ -s proxy.log ]
proxy=$host:$(head -n 1 proxy.log)

# A run through it is the run without it; the proxy sees an address and nothing of the rest.
"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > /dev/null 2>&1
data d > d.log 2>&1 &
label l --proxy "$proxy" > l.log 2>&1 || { cat l.log >&2; fail "the label party failed"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
same_model 1 d l whole
grep -q "CONNECT $host:$port HTTP/1.1" proxy.log || fail "the run did not pass the proxy"

# So does an alignment.
seq 1 50 > one.txt
seq 20 80 > two.txt
"$SOTTO" align one.txt --role hub --dir bank --listen "$host:$port" --peer partner --grace 20 --out hub > h.log 2>&1 &
"$SOTTO" align two.txt --role leaf --dir partner --connect "bank=$host:$port" --proxy "$proxy" --grace 20 --out leaf \
  > a.log 2>&1 || { cat a.log >&2; fail "the leaf failed"; }
wait $! || { cat h.log >&2; fail "the hub failed"; }
[ "$(wc -l < leaf/ids.txt)" -eq 31 ] || fail "not the common ids"
[ "$(grep -c CONNECT proxy.log)" -ge 2 ] || fail "the alignment did not pass the proxy"

# The proxy refuses, finds nobody, is not there, or is none; without TLS it has to be of this machine.
check() { $last "$SOTTO" run check run.yaml --role label --data g.sotto --dir partner $fixed --grace 1 "$@"; }
expect 28 "the proxy refuses: HTTP/1.1 403 Forbidden" check --peer "bank=$host:2" --proxy "$proxy"
expect 28 "the proxy refuses: HTTP/1.1 502 Bad Gateway" check --peer "bank=$host:1" --proxy "$proxy"
expect 28 "the proxy: Connection refused" check --peer "bank=$host:$port" --proxy "$host:1"
expect 28 "the proxy.*not known" check --peer "bank=$host:$port" --proxy "proxy.invalid:3128"
run=exec data d2 > d.log 2>&1 & # a party is no proxy
pid=$!
expect 28 "the proxy: [a-zA-Z]" check --peer "bank=$host:$port" --proxy "$host:$port" --grace 4
kill "$pid"
wait "$pid" || true
expect 23 "'nowhere' is not an address" check --peer "bank=$host:$port" --proxy nowhere
