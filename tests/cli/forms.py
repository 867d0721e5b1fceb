"""Writes 24 small inputs, one in each form of data, opens each with `sotto data info`, breaks it in two ways, and prints what
was read or refused. The program is $SOTTO; the inputs are in the current folder."""
import gzip
import io
import json
import os
import shutil
import struct
import subprocess
import zipfile

SOTTO = os.environ["SOTTO"]


def npy(kind, shape, values):
    """An array of numpy: kind is i (int64), f (float32) or b (bool)."""
    descr, code = {"i": ("<i8", "q"), "f": ("<f4", "f"), "b": ("|b1", "?")}[kind]
    text = str({"descr": descr, "fortran_order": False, "shape": shape})
    header = (text + " " * (117 - len(text)) + "\n").encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}{code}", *values)


def npz(**arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, array in arrays.items():
            file.writestr(zipfile.ZipInfo(name + ".npy"), array)
    return out.getvalue()


def packed(text):
    return gzip.compress(text.encode(), mtime=0)


INDEX = npy("i", (2, 3), [0, 1, 2, 1, 2, 3])
X = npy("f", (4, 2), [1, 0, 0, 1, 1, 1, 0, 0])
Y = npy("i", (4,), [0, 1, 1, 0])
CSR = {"indptr": npy("i", (5,), [0, 1, 3, 5, 6]), "indices": npy("i", (6,), [1, 0, 2, 1, 3, 2]),
       "data": npy("f", (6,), [1, 1, 1, 1, 1, 1]), "shape": npy("i", (2,), [4, 4])}
ADJ = {"adj_" + name: array for name, array in CSR.items()}
ATTR = {"attr_indptr": npy("i", (5,), [0, 1, 2, 2, 3]), "attr_indices": npy("i", (3,), [0, 1, 0]),
        "attr_data": npy("f", (3,), [1, 2, 3]), "attr_shape": npy("i", (2,), [4, 2])}
MASKS = {"train_mask": npy("b", (4,), [1, 1, 0, 0]), "test_mask": npy("b", (4,), [0, 0, 1, 1])}
EDGES = "source,target\nann,bob\nbob,eve\neve,dan\n"
PEOPLE = "id,age,colour,label,split\nann,31,red,staff,train\nbob,45,blue,client,train\neve,27,red,client,test\ndan,60,green,staff,\n"
GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="a" for="node" attr.name="age" attr.type="int"/>
<key id="l" for="node" attr.name="label" attr.type="string"/>
<graph edgedefault="undirected">
<node id="ann"><data key="a">31</data><data key="l">staff</data></node>
<node id="bob"><data key="a">45</data><data key="l">client</data></node>
<edge source="ann" target="bob"/>
</graph></graphml>
"""
GML = """graph [
  node [ id 1 label "ann" value "staff" age 31 ]
  node [ id 2 label "bob" value "client" age 45 ]
  edge [ source 1 target 2 weight 0.5 ]
]
"""
LINKS = """{"directed": false, "multigraph": false, "graph": {},
 "nodes": [{"id": "ann", "age": 31, "label": "staff"}, {"id": "bob", "age": 45, "label": "client"}],
 "links": [{"source": "ann", "target": "bob", "weight": 0.5}]}
"""
LISTS = LINKS.replace('"age": 31', '"x": [1, 0]').replace('"age": 45', '"x": [0, 1]')
MARKET = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 3\n"
TU = {"A": "1, 2\n2, 3\n4, 5\n", "graph_indicator": "1\n1\n1\n2\n2\n", "graph_labels": "1\n-1\n", "node_labels": "3\n5\n3\n9\n5\n"}
OGB = {"raw/edge.csv.gz": "0,1\n1,2\n2,3\n", "raw/num-node-list.csv.gz": "4\n", "raw/node-feat.csv.gz": "1,0\n0,1\n1,1\n0,0\n",
       "raw/node-label.csv.gz": "0\n1\n1\n0\n", "split/time/train.csv.gz": "0\n1\n", "split/time/valid.csv.gz": "2\n",
       "split/time/test.csv.gz": "3\n"}


def swap(file, old, new):
    def change(files):
        data = files[file]
        old_bytes, new_bytes = (old, new) if isinstance(old, bytes) else (old.encode(), new.encode())
        assert old_bytes in data, (file, old)
        files[file] = data.replace(old_bytes, new_bytes, 1)
    return change


def put(file, data):
    def change(files):
        files[file] = data
    return change


def cut(file, size):
    def change(files):
        files[file] = files[file][:size]
    return change


def native():
    """A file of the native format, as the program writes it."""
    write({"n.csv": EDGES.encode(), "n.nodes.csv": PEOPLE.encode()})
    subprocess.run([SOTTO, "data", "import", "n.csv", "n.sotto"], check=True, stdout=subprocess.DEVNULL)
    with open("n.sotto", "rb") as file:
        data = file.read()
    for name in ("n.csv", "n.nodes.csv", "n.sotto"):
        os.remove(name)
    return data


def table():
    """Of each input: what it is, arguments of `sotto data info`, files, and two faults (what is wrong, a change)."""
    text = {name: data for name, data in TU.items()}
    kept = native()
    flipped = kept[:1866] + bytes([kept[1866] ^ 1]) + kept[1867:]
    return [
        ("edge list", ["edges.csv"], {"edges.csv": EDGES},
         ("an id is missing", swap("edges.csv", "bob,eve", "bob,")), ("a field is missing", swap("edges.csv", "bob,eve", "bob"))),
        ("edge list with weights", ["weights.csv"], {"weights.csv": "source,target,weight\n1,2,0.5\n2,3,1\n"},
         ("a line is short", swap("weights.csv", "2,3,1", "2,3")), ("quotes do not end", swap("weights.csv", "2,3,1", '2,"3,1'))),
        ("tabs", ["tabs.tsv"], {"tabs.tsv": "a\tb\nb\tc\n"},
         ("a comma", swap("tabs.tsv", "b\tc", "b,c")), ("Latin-1", put("tabs.tsv", b"a\tb\xe9\n"))),
        ("blanks and comments", ["blanks.txt"], {"blanks.txt": "# who knows whom\n1 2\n2   3\n"},
         ("one id", swap("blanks.txt", "2   3", "2")), ("a third field", swap("blanks.txt", "2   3", "2 3 4"))),
        ("semicolons", ["semi.csv"], {"semi.csv": "from;to\na;b\nb;c\n"},
         ("a comma", swap("semi.csv", "b;c", "b,c")), ("an empty id", swap("semi.csv", "b;c", ";c"))),
        ("table of nodes", ["people.csv"], {"people.csv": EDGES, "people.nodes.csv": PEOPLE},
         ("a word in a column of numbers", swap("people.nodes.csv", "45", "old")),
         ("an edge to an unknown node", swap("people.csv", "eve,dan", "eve,Dan"))),
        ("quotes, byte order mark, CR LF", ["quoted.csv"],
         {"quoted.csv": '"Smith, J.",bob\n', "quoted.nodes.csv": '\ufeffid,label\r\n"Smith, J.","said ""no"""\r\nbob,yes\r\n'},
         ("quotes inside a field", swap("quoted.nodes.csv", 'said ""no""', 'said "no"')),
         ("an id twice", swap("quoted.nodes.csv", "bob", '"Smith, J."'))),
        ("missing values", ["gaps.csv", "--missing", "mean"], {"gaps.csv": "a,b\n", "gaps.nodes.csv": "id,x\na,1\nb,\n"},
         ("a field too many", swap("gaps.nodes.csv", "a,1", "a,1,2")), ("no header", put("gaps.nodes.csv", b""))),
        ("codes", ["codes.csv", "--types", "zip=category"], {"codes.csv": "a,b\n", "codes.nodes.csv": "id,zip\na,10115\nb,80331\n"},
         ("another column", swap("codes.nodes.csv", "zip", "code")), ("a missing code", swap("codes.nodes.csv", "80331", ""))),
        ("split of its own", ["split.csv", "--split", "parts.txt"], {"split.csv": "0,1\n1,2\n", "parts.txt": "train\ntest\nnone\n"},
         ("an unknown word", swap("parts.txt", "test", "tset")), ("too few words", swap("parts.txt", "none\n", ""))),
        ("native", ["kept.sotto"], {"kept.sotto": kept},
         ("one bit", put("kept.sotto", flipped)), ("cut short", cut("kept.sotto", 1800))),
        ("TUDataset", ["shapes"], {f"shapes/S_{name}.txt": data for name, data in text.items()},
         ("an edge between graphs", swap("shapes/S_A.txt", "2, 3", "2, 4")),
         ("a word for a label", swap("shapes/S_node_labels.txt", "9", "nine"))),
        ("GraphML", ["a.graphml"], {"a.graphml": GRAPHML},
         ("an edge to an unknown node", swap("a.graphml", 'target="bob"', 'target="eve"')),
         ("an element does not end", swap("a.graphml", "</node>\n<edge", "\n<edge"))),
        ("GML", ["a.gml"], {"a.gml": GML},
         ("no id", swap("a.gml", "id 2 ", "")), ("a list does not end", cut("a.gml", 120))),
        ("JSON of networkx", ["links.json"], {"links.json": LINKS},
         ("no id", swap("links.json", '"id": "bob", ', "")), ("cut short", cut("links.json", 150))),
        ("JSON with lists", ["lists.json"], {"lists.json": LISTS},
         ("a list is short", swap("lists.json", "[0, 1]", "[0]")), ("a word in a list", swap("lists.json", "[0, 1]", '[0, "one"]'))),
        ("MatrixMarket", ["a.mtx"], {"a.mtx": MARKET},
         ("a row beyond the matrix", swap("a.mtx", "\n4 3\n", "\n5 3\n")), ("cut short", swap("a.mtx", "3 2\n4 3\n", ""))),
        ("MatrixMarket with a table", ["b.mtx", "--nodes", "b.nodes.csv"], {"b.mtx": MARKET, "b.nodes.csv": PEOPLE},
         ("a node is missing", swap("b.nodes.csv", "dan,60,green,staff,\n", "")),
         ("a dense matrix", swap("b.mtx", "coordinate", "array"))),
        ("scipy.sparse.save_npz", ["csr.npz"], {"csr.npz": npz(**CSR)},
         ("not square", put("csr.npz", npz(**{**CSR, "shape": npy("i", (2,), [4, 5])}))),
         ("an index beyond the matrix", put("csr.npz", npz(**{**CSR, "indices": npy("i", (6,), [1, 0, 4, 1, 3, 2])})))),
        ("sparse adjacency, dense attr_matrix", ["dense.npz"], {"dense.npz": npz(**ADJ, attr_matrix=X, labels=Y)},
         ("a label for three of four nodes", put("dense.npz", npz(**ADJ, attr_matrix=X, labels=npy("i", (3,), [0, 1, 1])))),
         ("nan", put("dense.npz", npz(**ADJ, attr_matrix=npy("f", (4, 1), [1, 2, float("nan"), 3]), labels=Y)))),
        ("sparse adjacency and attributes", ["sparse.npz"], {"sparse.npz": npz(**ADJ, **ATTR, labels=Y)},
         ("no labels", put("sparse.npz", npz(**ADJ, **ATTR))), ("cut short", cut("sparse.npz", 900))),
        ("edge_index with x, y and masks", ["index.npz"], {"index.npz": npz(edge_index=INDEX, x=X, y=Y, **MASKS)},
         ("a node beyond x", put("index.npz", npz(edge_index=npy("i", (2, 1), [0, 4]), x=X, y=Y))),
         ("masks overlap", put("index.npz", npz(edge_index=INDEX, x=X, y=Y, train_mask=MASKS["train_mask"],
                                                test_mask=MASKS["train_mask"])))),
        ("edge_index alone", ["index.npy"], {"index.npy": INDEX},
         ("three rows", put("index.npy", npy("i", (3, 3), [0] * 9))), ("complex numbers", swap("index.npy", "<i8", "<c8"))),
        ("OGB", ["ogb"], {"ogb/" + name: packed(data) for name, data in OGB.items()},
         ("a feature is missing", put("ogb/raw/node-feat.csv.gz", packed("1,0\n0\n1,1\n0,0\n"))),
         ("packed file cut short", cut("ogb/raw/edge.csv.gz", 20))),
    ]


def write(files):
    for name, data in files.items():
        if os.path.dirname(name):
            os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(data)


def open_data(arguments):
    """What the program says, and whether it read the data."""
    done = subprocess.run([SOTTO, "data", "info", *arguments, "--json"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        found = json.loads(done.stdout)
        counts = ", ".join(f"{found[key]} {key}" for key in ("nodes", "edges", "features", "classes"))
        return f"{counts}; {found['form'] or 'native'}", True
    lines = done.stderr.strip().split("\n")
    assert done.returncode == 1 and len(lines) == 1, (arguments, done.returncode, done.stderr)
    return lines[0].removeprefix("sotto: "), False


def main():
    inputs = table()
    assert len(inputs) == 24
    for what, arguments, files, *faults in inputs:
        good = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
        write(good)
        said, was_read = open_data(arguments)
        assert was_read, (what, said)
        print(f"{what}: {' '.join(arguments)}\n  read: {said}")
        for fault, change in faults:
            broken = dict(good)
            change(broken)
            write(broken)
            said, was_read = open_data(arguments)
            assert not was_read, (what, fault, said)
            print(f"  {fault}: {said}")
        for name in good:
            shutil.rmtree(name.split("/")[0]) if "/" in name and os.path.isdir(name.split("/")[0]) else os.path.exists(name) and os.remove(name)
    for name in ("table.parquet", "table.arrow", "graph.pt"):
        write({name: b"x"})
        print(f"{open_data([name])[0]}")


if __name__ == "__main__":
    main()
