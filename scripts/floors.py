#!/usr/bin/env python3
"""Checks the floors of the library and the program by what their compiled files call, where scripts/house.py reads what
they include: a file may call one that it does not include a header of.

Every finding is printed as "file: sentence", and the exit status is 1 if there is any. A file whose object is missing,
or older than it, ends the check: build the program, then look again.

  scripts/floors.py                      check the objects in build/; prints the figures and the rooms
  scripts/floors.py --build DIR          those of another build folder
  scripts/floors.py --root DIR           of another tree
  scripts/floors.py --picture            write the picture of rooms into docs/architecture.md
  scripts/floors.py --quiet              print findings alone
"""
import argparse
import collections
import os
import subprocess
import sys

import house

# A cycle of two files in one folder is one idea in two files; a larger one is a floor that is missing.
MOST_FILES_OF_CYCLE = 2
# Stands in for libraries of other projects, by their names: who calls these names calls the library.
STAND_INS = {"app/late.c"}
PICTURE = "docs/architecture.md"
BEGIN, END = "<!-- rooms: scripts/floors.py --picture -->", "<!-- end of rooms -->"


def objects(build):
    """Source path -> object file."""
    out = {}
    for target in sorted(os.listdir(os.path.join(build, "CMakeFiles"))):
        for room in ("src", "app"):
            base = os.path.join(build, "CMakeFiles", target, room)
            for folder, _, files in os.walk(base):
                for name in files:
                    if name.endswith(".c.o"):
                        path = os.path.join(folder, name)
                        out.setdefault(room + "/" + os.path.relpath(path, base)[:-2], path)
    return out


def symbols(paths):
    """Object -> names that it defines for others, and names that it needs."""
    out = {path: (set(), set()) for path in paths}
    said = subprocess.run(["nm", "-P", "-A", *paths], check=True, stdout=subprocess.PIPE).stdout.decode()
    for line in said.splitlines():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if kind == "U":
            out[path][1].add(name)
        elif kind.isupper():
            out[path][0].add(name)
    return out


def calls(found):
    """(file, file) -> names. The library is linked without the program, so nothing in src calls app."""
    home, needs, out = {}, {}, collections.defaultdict(set)
    read = symbols(list(found.values()))
    for source, path in found.items():
        defined, needs[source] = read[path]
        if source not in STAND_INS:
            home.update({(name, source.split("/")[0]): source for name in defined})
    for source, names in needs.items():
        for name in names:
            target = home.get((name, "src")) or (home.get((name, "app")) if source.startswith("app/") else None)
            if target is not None and target != source:
                out[source, target].add(name)
    return out


def cycles(arrows, key):
    graph = collections.defaultdict(set)
    for a, b in arrows:
        graph[key(b)]
        if key(a) != key(b):
            graph[key(a)].add(key(b))
    return sorted(house.components(graph), key=lambda c: (-len(c), c))


def ring(group):
    return f"{', '.join(group[:8])}" + (f" and {len(group) - 8} more" if len(group) > 8 else "")


def check_cycles(arrows, files, folders):
    for group in files:
        inside = len({os.path.dirname(path) for path in group}) == 1
        if inside and len(group) <= MOST_FILES_OF_CYCLE:
            continue
        yield (group[0], f"is in a cycle of {len(group)} files, which call each other: {ring(group)}; move what the "
               "lower ones need into a file below them")
    for group in folders:
        inner = [(a, b) for a, b in arrows if os.path.dirname(a) != os.path.dirname(b) and
                 {os.path.dirname(a), os.path.dirname(b)} <= set(group)]
        a, b = min(inner)
        why = f" ({a} calls {sorted(arrows[a, b])[0]} of {b})" if arrows[a, b] else f" ({a} includes {b})"
        yield (group[0], f"is in a cycle of {len(group)} folders: {ring(group)}{why}")


def check_rooms(arrows):
    for (a, b), names in sorted(arrows.items()):
        mine, theirs = house.room_of(a), house.room_of(b)
        if mine == theirs or not names or mine not in house.LEVEL or theirs not in house.LEVEL:
            continue
        if house.LEVEL[mine] <= house.LEVEL[theirs]:
            yield (a, f"{mine} may not call {theirs} ({sorted(names)[0]} of {b}): it is not below it")


def includes(sources):
    """Arrows of includes, between folders alone: house.py has those between files."""
    for source in sources.values():
        for _, name in source.includes:
            target = house.resolve(sources, source, name)
            if target is not None and not target.startswith("include/"):
                yield source.path, target


def rooms_of(arrows):
    """Room -> rooms that it uses."""
    out = collections.defaultdict(set)
    for a, b in arrows:
        mine, theirs = house.room_of(a), house.room_of(b)
        out[mine], out[theirs]
        if mine != theirs:
            out[mine].add(theirs)
    return out


def picture(rooms):
    """A line for each floor, from above: its rooms, each with the rooms of the next floors that it uses and that no
    other room that it uses already stands on."""
    below = {}

    def reach(room):
        if room not in below:
            below[room] = set()
            for other in rooms[room]:
                below[room] |= {other} | reach(other)
        return below[room]

    height = {}
    for room in sorted(rooms, key=lambda r: (len(reach(r)), r)):
        height[room] = 1 + max((height[other] for other in rooms[room]), default=0)
    lines = ["```", "floor  room        stands on"]
    for floor in range(max(height.values(), default=0), 0, -1):
        for room in sorted(r for r in rooms if height[r] == floor):
            on = [o for o in rooms[room] if not any(o in reach(other) for other in rooms[room])]
            lines.append(f"{floor:>5}  {room:<10}  {' '.join(sorted(on, key=lambda o: (-height[o], o)))}".rstrip())
    return "\n".join(lines + ["```"])


def shown(root):
    """The picture that stands in the document, and the document before and after it."""
    try:
        with open(os.path.join(root, PICTURE), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None, None, None
    before, mark, rest = text.partition(BEGIN)
    inside, end, after = rest.partition(END)
    return (inside.strip("\n"), before + mark, end + after) if mark and end else (None, None, None)


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=here)
    parser.add_argument("--build")
    parser.add_argument("--picture", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    build = options.build or os.path.join(options.root, "build")
    paths = [p for p in house.tracked(options.root) if p.endswith((".c", ".h")) and p.startswith(("src/", "app/"))]
    sources = {p: house.Source(options.root, p) for p in paths}
    found = {p: o for p, o in objects(build).items() if p in sources}
    stale = sorted(p for p in paths if p.endswith(".c") and (p not in found or os.path.getmtime(found[p]) <
                                                             os.path.getmtime(os.path.join(options.root, p))))
    if stale:
        print(f"{stale[0]}: {len(stale)} files have no object in {build}, or an older one; build the program first")
        return 1
    linked = calls(found)
    stem = lambda path: os.path.splitext(path)[0]
    arrows = dict(linked)
    for a, b in includes(sources):
        arrows.setdefault((a, b), set())
    files, folders = cycles(linked, stem), cycles(arrows, os.path.dirname)
    rooms = rooms_of(arrows)
    findings = list(check_rooms(linked)) + list(check_cycles(arrows, files, folders))
    inside, before, after = shown(options.root)
    if options.picture and inside is not None:
        with open(os.path.join(options.root, PICTURE), "w", encoding="utf-8") as file:
            file.write(f"{before}\n{picture(rooms)}\n{after}")
    elif inside is not None and not findings and inside != picture(rooms):
        findings.append((PICTURE, "its picture of rooms is not that of the code; scripts/floors.py --picture draws it"))
    for path, text in findings:
        print(f"{path}: {text}")
    if not options.quiet:
        largest = ring(files[0]) if files else "none"
        print(f"files {len(found)}, calls between files {len(linked)}, cycles of files {len(files)}, the largest of "
              f"{len(files[0]) if files else 0} ({largest}), cycles of folders {len(folders)}")
        if not findings:
            print(picture(rooms))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
