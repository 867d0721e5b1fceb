#!/bin/sh
# Every benchmark, one after the other, each compared with a peer or a bound. Peers that are not installed are left out.
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target benches -j "$(nproc)" > /dev/null
echo "== noise: draws a second compared with the key stream alone"
build/bench/bench_noise
echo "== accountants, compared with dp_accounting where python3 has it"
"${PYTHON:-python3}" bench/accountant.py
echo "== 1 GB over TLS on loopback: MB/s, memory above the matrix, bytes above the payload (aim 300, 64 MB, 1%)"
build/bench/bench_wire
echo "== an epoch of a perceptron compared with its two large products"
build/bench/bench_mlp
echo "== DP-SGD compared with plain training, per example; the ratio is to stay below 3"
build/bench/bench_dpsgd 3
echo "== alignment: ids a second and core compared with libsodium"
build/bench/bench_align
echo "== secure aggregation of 10^6 values among 50 clients (aim 4 s with about log n neighbours, 12 s with all)"
build/bench/bench_secure_sum
echo "== a checked sum of two servers, compared with a secure sum without checks"
build/bench/bench_checked_sum
echo "== product over Z_2^64 compared with plain loops, and numpy"
build/bench/bench_ring
/usr/bin/python3 bench/ring.py 2> /dev/null || echo "  numpy: left out"
python=/usr/bin/python3
if $python -c 'import numpy, scipy' 2> /dev/null; then
  echo "== sparse times dense compared with scipy and PyTorch"
  data=${SOTTO_SHARED:-../shared}/data/npz/amazon_electronics_computers.npz
  $python bench/spmm.py --data "$data"
else
  echo "== sparse times dense: needs Debian's python3-numpy, python3-scipy and python3-torch; left out"
fi
echo "== a release of two layers, 10^7 entries, compared with reading each entry's row (bench/release_scale.sh has more sizes)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build/bench/bench_release make "$scratch/graph.sotto" 200000 5000000 64
echo "entries,seconds,floor,times the floor,peak MB,graph and features MB,times that"
build/bench/bench_release run "$scratch/graph.sotto" 2
echo "== Gromov-Wasserstein distances compared with POT"
$python bench/gw.py
