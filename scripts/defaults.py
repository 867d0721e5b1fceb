#!/usr/bin/env python3
"""The table of docs/defaults.md, from the program's help: defaults.py PROGRAM [--check].

Writes the rows between the markers of the page, or, with --check, says where they differ and ends with 1. So the page has no
default of its own."""
import json
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "defaults.md"
BEGIN, END = "<!-- defaults -->\n", "<!-- end of defaults -->\n"


def say(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, check=True, text=True).stdout


def rows(program):
    yield "| method | option | default |"
    yield "|---|---|---|"
    for method in json.loads(say(program, "methods", "--json"))["methods"]:
        text = re.sub(r"\n {7,}", " ", say(program, "train", "--method", method["name"], "--help", "all"))
        for key, rules in re.findall(r"^  --(\S+) .*\[[^\];]*; ([^\]]*)\]$", text, re.M):
            yield f"| `{method['name']}` | `--{key}` | {rules} |"


def main():
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    wanted = before + BEGIN + "".join(row + "\n" for row in rows(sys.argv[1])) + END + rest.split(END)[1]
    if sys.argv[2:] != ["--check"]:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"{PAGE}: not the program's defaults; write them with scripts/defaults.py PROGRAM")


main()
