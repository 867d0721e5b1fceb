#!/bin/sh
# Every benchmark, one after the other, each beside a peer or a bound. Peers that are not installed are left out.
set -eu
cd "$(dirname "$0")/.."
cmake --build build --target benches -j "$(nproc)" > /dev/null
echo "== noise: draws a second beside the key stream alone"
build/bench/bench_noise
echo "== accountants, beside dp_accounting where python3 has it"
"${PYTHON:-python3}" bench/accountant.py
echo "== 1 GB over TLS on loopback: MB/s, memory above the matrix, bytes above the payload (aim 300, 64 MB, 1%)"
build/bench/bench_wire
echo "== an epoch of a perceptron beside its two large products"
build/bench/bench_mlp
python=/usr/bin/python3
if $python -c 'import numpy, scipy' 2> /dev/null; then
  echo "== sparse times dense beside scipy and PyTorch"
  data=${SOTTO_SHARED:-../shared}/data/npz/amazon_electronics_computers.npz
  $python bench/spmm.py --data "$data"
else
  echo "== sparse times dense: needs Debian's python3-numpy, python3-scipy and python3-torch; left out"
fi
