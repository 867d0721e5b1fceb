"""Pictures of docs/results, and those that are named: each has a title, a description, colours for light and dark, a mark or a bar,
a name for each colour, and no text beyond its sheet. Letters of docs/pictures,
and with --telephone of those that are named, can be read on a telephone."""
import os
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
# Of DejaVu Sans, in parts of the size of letters; a floor, so that a text that is said to be cut is cut.
NARROW, USUAL = 0.3, 0.52
problems = []


def width_of(text, size):
    return size * sum(NARROW if c in "iljftrI.,:;'|!()[] /-" else USUAL for c in text)


def look(path):
    name = os.path.basename(path)
    root = tree.parse(path).getroot()
    width = float(root.get("viewBox").split()[2])
    style = "".join(root.find(f"{SVG}style").itertext()) if root.find(f"{SVG}style") is not None else ""
    for part in ("title", "desc"):
        if root.find(f"{SVG}{part}") is None or not root.find(f"{SVG}{part}").text:
            problems.append(f"{name}: has no {part}")
    if "prefers-color-scheme:dark" not in style:
        problems.append(f"{name}: has no colours for dark surroundings")
    if "var(" in open(path, encoding="utf-8").read():
        problems.append(f"{name}: takes colours from a page that is not there")
    shapes = [e for e in root.iter() if e.get("class") in ("solid", "hollow", "curve", "curve broken") or e.get("fill")]
    if not shapes:
        problems.append(f"{name}: is empty")
    coloured = {e.get("class") for e in root.iter(f"{SVG}g") if re.fullmatch(r"k\d", e.get("class") or "")}
    texts = [e for e in root.iter(f"{SVG}text")]
    keyed = [e for e in texts if e.get("text-anchor") is None and e.get("class") is None and e.get("font-weight") is None]
    if len(coloured) > 1 and len(keyed) < len(coloured):
        problems.append(f"{name}: {len(coloured)} colours and {len(keyed)} names")
    for e in texts:
        if e.get("transform"):
            continue
        said, at = "".join(e.itertext()), float(e.get("x"))
        size = float(e.get("font-size") or 12)
        wide = width_of(said, size)
        start = {"middle": at - wide / 2, "end": at - wide}.get(e.get("text-anchor"), at)
        if start < -0.5 or start + wide > width + 0.5:
            problems.append(f"{name}: '{said}' is cut off")


def read_on_a_telephone(path):
    """The least letters where the picture fills a page 390 pixels wide, whose margins a forge takes from it."""
    root = tree.parse(path).getroot()
    scale = min(1.0, (390 - 2 * 16) / float(root.get("viewBox").split()[2]))
    sizes = [e.get("font-size") for e in root.iter(f"{SVG}text")]
    least = scale * min(float(size or root.get("font-size")) for size in sizes)
    if least < 10:
        problems.append(f"{os.path.basename(path)}: letters of {least:.1f} pixels on a page of 390")


def drawings(folder):
    folder = os.path.join(os.environ["SOTTO_SOURCE"], folder)
    return sorted(f"{folder}/{n}" for n in os.listdir(folder) if n.endswith(".svg"))


telephone, named = sys.argv[1:2] == ["--telephone"], [word for word in sys.argv[1:] if word != "--telephone"]
for path in named or drawings("docs/results"):
    look(path)
for path in (named if telephone else []) if named else drawings("docs/pictures"):
    read_on_a_telephone(path)
for line in problems:
    print(line, file=sys.stderr)
sys.exit(len(problems) > 0)
