#!/bin/sh
# Layouts of .npz: an export is read back and exported to the same bytes, edges have amounts and times, and of several published splits the first is read.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate payments --nodes 500 --out dense.sotto > /dev/null
python3 - << 'PYTHON'
import struct, zipfile

def npy(kind, shape, values):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (kind, ", ".join(map(str, shape)))).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    code = {"<i8": "q", "<f4": "f", "|b1": "?"}[kind]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%d%s" % (len(values), code), *values)

def write(name, **arrays):
    with zipfile.ZipFile(name, "w") as out:
        for key, value in arrays.items():
            out.writestr(key + ".npy", npy(*value))

nodes = dict(node_features=("<f4", [4, 2], [1, 0, 0, 1, 1, 1, 0, 0]), node_labels=("<i8", [4], [0, 1, 1, 0]))
masks = {part + "_masks": ("|b1", [2, 4], [v == k for v in range(4)] + [v == (k + 1) % 3 for v in range(4)])
         for k, part in enumerate(("train", "val", "test"))}
write("splits.npz", edges=("<i8", [2, 2], [0, 1, 0, 2]), **nodes, **masks)
write("paid.npz", edge_index=("<i8", [2, 3], [0, 1, 1, 1, 0, 3]), edge_amount=("<f4", [3], [5, 6, 7]), edge_time=("<f4", [3], [0, 1, 2]), **nodes)
write("short.npz", edge_index=("<i8", [2, 3], [0, 1, 1, 1, 0, 3]), edge_amount=("<f4", [2], [5, 6]), **nodes)
write("outside.npz", indptr=("<i8", [5], [0, 1, 2, 2, 2]), indices=("<i8", [2], [1, 0]), transfer_sources=("<i8", [1], [4294967296]),
      transfer_targets=("<i8", [1], [1]), transfer_amounts=("<f4", [1], [1]), **nodes)

# 3,000 x 3,000 features, five in each row: a table of 36 MB, which stays sparse
n = 3000
write("words.npz", adj_indptr=("<i8", [n + 1], list(range(n)) + [n - 1]), adj_indices=("<i8", [n - 1], list(range(1, n))),
      adj_data=("<f4", [n - 1], [1] * (n - 1)), adj_shape=("<i8", [2], [n, n]), attr_indptr=("<i8", [n + 1], [5 * v for v in range(n + 1)]),
      attr_indices=("<i8", [5 * n], list(range(5)) * n), attr_data=("<f4", [5 * n], [v % 7 + 1 for v in range(5 * n)]),
      attr_shape=("<i8", [2], [n, n]), labels=("<i8", [n], [v % 3 for v in range(n)]))
PYTHON
"$SOTTO" data import words.npz sparse.sotto > /dev/null
printf 'source,target,amount\na,b,5\nb,a,7\nb,c,1\n' > directed.csv
"$SOTTO" data import directed.csv both.sotto > /dev/null
printf 'source,target\na,b\nb,a\nb,c\n' > directed.csv
"$SOTTO" data import directed.csv directed.sotto --direction keep > /dev/null
for data in dense sparse both directed; do
  "$SOTTO" data export $data.sotto $data.npz > /dev/null
  "$SOTTO" data import $data.npz again.sotto > /dev/null || fail "an export of $data is not read"
  "$SOTTO" data export again.sotto again.npz > /dev/null
  [ "$data" != sparse ] || python3 -m zipfile -l sparse.npz | grep -q feature_indptr || fail "the features are not sparse"
  cmp $data.npz again.npz || fail "an export of $data is read as other data"
done
"$SOTTO" data info splits.npz > info.txt
grep -q "degree  *mean 1.00, largest 2, 1 nodes without" info.txt && grep -q "read as  *npz, edges, the first of 2 splits" info.txt && grep -q "1 train, 1 validation, 1 test, 1 in none" info.txt || { cat info.txt >&2; fail "several splits"; }
"$SOTTO" data info paid.npz | grep -q "transfers  *3, directed, of 2 relations, with amounts and times" || fail "amounts and times of edge_index"
"$SOTTO" data info short.npz > info.txt 2>&1 && fail "two amounts of three edges"
grep -q "array edge_amount has 2 elements for 3 edges" info.txt || { cat info.txt >&2; fail "no reason"; }
"$SOTTO" data info outside.npz > info.txt 2>&1 && fail "a transfer of a node that is not there"
grep -q "transfer 0 has an end that is no node number" info.txt || { cat info.txt >&2; fail "no reason"; }
