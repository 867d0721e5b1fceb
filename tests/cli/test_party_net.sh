#!/bin/sh
# Over a network of 50 ms each way that loses one packet in a hundred, between two network namespaces: an alignment
# finds the common ids, and the model is that of one process. By netem where the kernel has it, else by tests/net.
. "$(dirname "$0")/common.sh"
skip() { echo "skipped: $*"; exit 77; }
command -v ip > /dev/null || skip "ip (iproute2) is not installed"
a=sotto-a-$$ b=sotto-b-$$ carrier=
clean() {
  [ -z "$carrier" ] || kill "$carrier" 2> /dev/null || true
  ip netns del "$a" 2> /dev/null || true
  ip netns del "$b" 2> /dev/null || true
  rm -rf "$folder"
}
trap clean EXIT
ip netns add "$a" 2> why || skip "no network namespaces: $(cat why)"
ip netns add "$b"

# netem: two ends of one veth pair, each delaying and losing what it sends.
by_netem() {
  command -v tc > /dev/null && ip link add "va$$" netns "$a" type veth peer name "vb$$" netns "$b" 2> why || return 1
  ip -n "$a" addr add 10.77.0.1/24 dev "va$$"
  ip -n "$b" addr add 10.77.0.2/24 dev "vb$$"
  ip -n "$a" link set "va$$" up
  ip -n "$b" link set "vb$$" up
  ip netns exec "$a" tc qdisc add dev "va$$" root netem delay 50ms loss 1% 2> why &&
    ip netns exec "$b" tc qdisc add dev "vb$$" root netem delay 50ms loss 1% 2> why && return 0
  ip -n "$a" link del "va$$"
  return 1
}

# tests/net/bad_network.c: packets pass through a program.
by_program() {
  [ -x "$SOTTO_BUILD/tests/bad_network" ] || return 1
  "$SOTTO_BUILD/tests/bad_network" "$seed" "$a" "$b" -- "*:delay=50,loss=1" > carried &
  carrier=$!
  await_or_end "$carrier" "the network never began" [ -s carried ]
  grep -q '^up' carried || { cp carried why; carrier=; return 1; }
  cat carried
}
by_netem || by_program || skip "neither netem nor TUN devices: $(cat why)"
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: 2/seeds: 1/' run.yaml

# 5,000 ids each, in several chunks.
seq 1 5000 > a.txt
seq 2001 7000 | shuf > b.txt
ip netns exec "$a" "$SOTTO" align a.txt --role hub --dir bank --threads 1 --listen 10.77.0.1:7443 --peer partner \
  --out hub > a.log 2>&1 &
ip netns exec "$b" "$SOTTO" align b.txt --role leaf --dir partner --threads 1 --connect bank=10.77.0.1:7443 \
  --out leaf > b.log 2>&1 || { cat b.log >&2; fail "the leaf failed"; }
wait $! || { cat a.log >&2; fail "the hub failed"; }
cmp hub/ids.txt leaf/ids.txt || fail "the orders differ"
seq 2001 5000 | sort > common
sort hub/ids.txt | cmp - common || fail "not the common ids"

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > /dev/null 2>&1
ip netns exec "$a" "$SOTTO" run run.yaml --role data --data g.sotto --dir bank --peer partner \
  --listen 10.77.0.1:7443 --threads 1 --out d $fixed > d.log 2>&1 &
ip netns exec "$b" "$SOTTO" run run.yaml --role label --data g.sotto --dir partner \
  --peer bank=10.77.0.1:7443 --threads 1 --out l $fixed > l.log 2>&1 || { cat l.log >&2; fail "the label party failed"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
same_model 1 d l whole

# Packets were lost, or nothing was tried.
if [ -n "$carrier" ]; then
  kill "$carrier"
  wait "$carrier" || true
  carrier=
  tail -n 2 carried
  awk '/carried/ { lost += $9 } END { exit lost == 0 }' carried || fail "no packet was lost"
fi
