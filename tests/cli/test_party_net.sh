#!/bin/sh
# Over a network of 50 ms each way that loses one packet in a hundred, between two network namespaces: the model is
# that of one process.
. "$(dirname "$0")/common.sh"
skip() { echo "skipped: $*"; exit 77; }
command -v ip > /dev/null && command -v tc > /dev/null || skip "ip and tc (iproute2) are not installed"
a=sotto-a-$$ b=sotto-b-$$
ip netns add "$a" 2> /dev/null || skip "this user may not make network namespaces"
trap 'ip netns del "$a" 2> /dev/null; ip netns del "$b" 2> /dev/null; rm -rf "$folder"' EXIT
ip netns add "$b"
ip link add "va$$" netns "$a" type veth peer name "vb$$" netns "$b" 2> /dev/null || skip "no veth interfaces here"
ip -n "$a" addr add 10.77.0.1/24 dev "va$$"
ip -n "$b" addr add 10.77.0.2/24 dev "vb$$"
for pair in "$a va$$" "$b vb$$"; do
  set -- $pair
  ip -n "$1" link set "$2" up
  ip netns exec "$1" tc qdisc add dev "$2" root netem delay 50ms loss 1% 2> /dev/null || skip "no netem here"
done
. "$(dirname "$0")/party.sh"
sed -i 's/^seeds: 2/seeds: 1/' run.yaml

"$SOTTO" train run.yaml --data g.sotto --threads 1 --out whole > /dev/null 2>&1
ip netns exec "$a" "$SOTTO" party run.yaml --role data --data g.sotto --dir bank --peer partner \
  --listen 10.77.0.1:7443 --threads 1 --out d > d.log 2>&1 &
ip netns exec "$b" "$SOTTO" party run.yaml --role label --data g.sotto --dir partner \
  --peer bank=10.77.0.1:7443 --threads 1 --out l > l.log 2>&1 || { cat l.log >&2; fail "the label party failed"; }
wait $! || { cat d.log >&2; fail "the data party failed"; }
same_model 1 d l whole
