#!/usr/bin/env python3
"""Gromov-Wasserstein distances of graphs from themselves with one edge or one node less (figure 12 of Jin and Chen 2022), as JSON.

usage: bench/one_change.py tu/NAME [--seed 1]

Of each graph one edge and one node are drawn by the seed. Distances are of hops (`sotto compare --by paths`; sotto is on the PATH). Means and
deviations are over the graphs of the folder.
"""
import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import tempfile


def graphs(folder):
    """[(nodes, edges)], nodes from 0 on, each edge once."""
    name = folder / folder.name
    of_node = [int(line) - 1 for line in pathlib.Path(f"{name}_graph_indicator.txt").read_text().split()]
    found = [[0, set()] for _ in range(max(of_node) + 1)]
    place = []
    for graph in of_node:
        place.append(found[graph][0])
        found[graph][0] += 1
    for line in pathlib.Path(f"{name}_A.txt").read_text().splitlines():
        u, v = (int(end) - 1 for end in line.split(","))
        if u != v:
            found[of_node[u]][1].add((min(place[u], place[v]), max(place[u], place[v])))
    return [(nodes, sorted(edges)) for nodes, edges in found]


def without_node(nodes, edges, gone):
    less = lambda v: v - (v > gone)
    return nodes - 1, [(less(u), less(v)) for u, v in edges if gone not in (u, v)]


def write(folder, made):
    lines = {"A": [], "graph_indicator": [], "graph_labels": []}
    first = 1
    for number, (nodes, edges) in enumerate(made, 1):
        lines["A"] += [f"{first + a}, {first + b}" for u, v in edges for a, b in ((u, v), (v, u))]
        lines["graph_indicator"] += [str(number)] * nodes
        lines["graph_labels"].append(str(number % 2))
        first += nodes
    folder.mkdir()
    for kind, text in lines.items():
        (folder / f"{folder.name}_{kind}.txt").write_text("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    drawn, made = random.Random(args.seed), []
    for nodes, edges in graphs(args.folder):
        gone = drawn.choice(edges)
        made += [(nodes, edges), (nodes, [edge for edge in edges if edge != gone]), without_node(nodes, edges, drawn.randrange(nodes))]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        write(work / "changed", made)
        subprocess.run(["sotto", "compare", work / "changed", "--by", "paths", "--starts", "1", "--out", work / "t.npz"], check=True, capture_output=True)
        with open(work / "t.csv", newline="", encoding="utf-8") as lines:
            table = [[float(cell) for cell in row[3:]] for row in list(csv.reader(lines))[1:]]
    edge, node = ([table[i][i + more] for i in range(0, len(made), 3)] for more in (1, 2))
    print(json.dumps({"edge": statistics.mean(edge), "edge_deviation": statistics.stdev(edge), "node": statistics.mean(node), "node_deviation": statistics.stdev(node),
                      "graphs": len(edge), "seed": args.seed}))


if __name__ == "__main__":
    main()
