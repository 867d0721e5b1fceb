#!/usr/bin/env python3
"""Says what became slower, or faster, between two files of bench/run.py.

usage: bench/compare.py OLD NEW [--least 5]

A figure that has a bound is compared by its ratio to the bound of the same run, so that a busy machine slows both. The
change is the median of NEW over the median of OLD, with an interval that holds it in 95 of 100 cases (bootstrap, of
pairs where both files are of one session, as `bench/run.py --against` writes them). What is outside of noise by more
than --least per cent is named; the exit status is 1 when something became slower.
"""
import argparse
import json
import random
import statistics
import sys

DRAWS = 2000
FEWEST = 5  # runs; fewer have no interval


def costs(figure):
    """Smaller is better, whatever the unit; by the bound of the same run where there is one."""
    values = list(figure["values"])
    if len(figure.get("bounds", [])) == len(values):
        values = [value / bound for value, bound in zip(values, figure["bounds"])]
    return [1 / value for value in values] if figure["unit"].endswith("/s") else values


def change(old, new, paired, draw):
    """Median of the new costs over that of the old ones, and the ends of its interval."""
    ratios = []
    for _ in range(DRAWS):
        if paired:
            places = [draw.randrange(len(old)) for _ in old]
            a, b = [old[i] for i in places], [new[i] for i in places]
        else:
            a, b = draw.choices(old, k=len(old)), draw.choices(new, k=len(new))
        ratios.append(statistics.median(b) / statistics.median(a))
    ratios.sort()
    middle = statistics.median(new) / statistics.median(old)
    return middle, ratios[int(DRAWS * 0.025)], ratios[int(DRAWS * 0.975) - 1]


def judge(low, high, least):
    if low > 1 + least / 100:
        return "slower"
    return "faster" if high < 1 - least / 100 else ""


def compare(old, new, least):
    """Rows of (name, change, low, high, judgement), in the order of the new file; without an interval where there are
    too few runs."""
    draw = random.Random(1)
    paired = old.get("session") == new.get("session")
    for name, figure in new["results"].items():
        before = old["results"].get(name)
        if before is None or before["unit"] != figure["unit"]:
            continue
        a, b = costs(before), costs(figure)
        if min(len(a), len(b)) < FEWEST:
            yield name, statistics.median(b) / statistics.median(a), None, None, ""
            continue
        middle, low, high = change(a, b, paired and len(a) == len(b), draw)
        yield name, middle, low, high, judge(low, high, least)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--least", type=float, default=5)
    args = parser.parse_args()
    old, new = (json.load(open(path)) for path in (args.old, args.new))
    machines = [" with ".join(filter(None, (said["machine"]["processor"], said["machine"].get("vectors")))) for said in (old, new)]
    if machines[0] != machines[1]:
        print(f"the machines differ: {machines[0]}, {machines[1]}; ratios to bounds are compared all the same")
    rows = list(compare(old, new, args.least))
    if not rows:
        sys.exit("bench/compare.py: the two files have no figure in common")
    print(f"{'figure':44}{'time, new over old':>20}{'95% interval':>18}")
    for name, middle, low, high, word in rows:
        interval = f"{'too few runs':>18}" if low is None else f"{low:10.3f} -{high:6.3f}"
        print(f"{name:44}{middle:20.3f}{interval}  {word}".rstrip())
    return 1 if any(row[4] == "slower" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
