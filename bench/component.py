#!/usr/bin/env python3
"""Nodes and edges of the largest connected component of a graph of Planetoid, as JSON: usage bench/component.py FOLDER/ind.NAME.graph"""
import json
import pickle
import sys


def component(graph, start):
    found, left = {start}, [start]
    while left:
        for other in graph[left.pop()]:
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def main():
    with open(sys.argv[1], "rb") as file:
        listed = pickle.load(file)
    graph = {node: set() for node in listed}
    for node, others in listed.items():
        for other in others:
            if other != node:
                graph[node].add(other)
                graph[other].add(node)
    largest, seen = set(), set()
    for node in graph:
        if node not in seen:
            found = component(graph, node)
            seen |= found
            largest = max(largest, found, key=len)
    print(json.dumps({"nodes": len(largest), "edges": sum(len(graph[node]) for node in largest) // 2}))


if __name__ == "__main__":
    main()
