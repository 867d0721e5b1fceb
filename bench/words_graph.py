"""A made graph whose features are bags of words: 18,000 nodes, 6,800 columns of which 0.9% are not 0, 80,000 edges, 15 classes."""
import array
import bisect
import itertools
import random
import struct
import zipfile

NODES, COLUMNS, CLASSES, EDGES, WORDS = 18000, 6800, 15, 80000, 61


def npy(kind, values):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)}, ), }}"
    head += " " * (64 - (11 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes()


def features_of(labels, draw):
    """Words by a law of powers; one in four is drawn by the order of words of the node's class."""
    weights = list(itertools.accumulate(1 / (j + 20) for j in range(COLUMNS)))
    orders = [draw.sample(range(COLUMNS), COLUMNS) for _ in range(CLASSES)]
    columns, starts = array.array("i"), array.array("i", [0])
    for label in labels:
        words = set()
        while len(words) < WORDS:
            word = min(bisect.bisect(weights, draw.random() * weights[-1]), COLUMNS - 1)
            words.add(orders[label][word] if draw.random() < 0.25 else word)
        columns.extend(sorted(words))
        starts.append(len(columns))
    return columns, starts


def edges_of(labels, draw):
    """Four of five join nodes of one class."""
    members = [[v for v in range(NODES) if labels[v] == c] for c in range(CLASSES)]
    pairs = set()
    while len(pairs) < EDGES:
        a = draw.randrange(NODES)
        b = draw.choice(members[labels[a]]) if draw.random() < 0.8 else draw.randrange(NODES)
        if a != b:
            pairs.add((min(a, b), max(a, b)))
    rows = [[] for _ in range(NODES)]
    for a, b in pairs:
        rows[a].append(b)
    targets, starts = array.array("i"), array.array("i", [0])
    for row in rows:
        targets.extend(sorted(row))
        starts.append(len(targets))
    return targets, starts


def write(path):
    draw = random.Random(7)
    labels = array.array("q", (draw.randrange(CLASSES) for _ in range(NODES)))
    parts = {"labels": ("<i8", labels)}
    for name, (indices, starts), columns in (("attr", features_of(labels, draw), COLUMNS), ("adj", edges_of(labels, draw), NODES)):
        parts[f"{name}_indices"] = ("<i4", indices)
        parts[f"{name}_indptr"] = ("<i4", starts)
        parts[f"{name}_data"] = ("<f4", array.array("f", [1]) * len(indices))
        parts[f"{name}_shape"] = ("<i8", array.array("q", [NODES, columns]))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (kind, values) in parts.items():
            archive.writestr(f"{name}.npy", npy(kind, values))
