#!/usr/bin/env python3
"""Decisions by digests of data: each function that compares a digest has a reason in scripts/decisions.txt.

Whether, when and how often something is released must not follow from private data (docs/privacy.md). A digest of a
graph in a condition is such a decision: who sees which branch was taken learns whether an edge changed. This script
finds functions that compare memory or text and speak of a digest, in C and in Python. Each of them stands in the list
with the reason for which nothing private decides there; a function of the list that is gone is an error as well."""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPARES = r"\b(?:sodium_)?(?:memcmp|strcmp|strncmp)\s*\("
SPEAKS = r"(?i)digest|checksum|fingerprint|generichash|identity|(?:->|\.)account\b"
ASKS = r"\b(?:sotto_i_data_is_alike|sotto_i_data_file_is_of)\s*\("
C_NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
C_FUNCTION = re.compile(r"^(?!\s|#|typedef\b|struct\b[^(]*\{|enum\b|static const\b[^(]*=)[^\n;={}]*?\b(\w+)\s*\([^;{}]*\)\s*\{$", re.M)


def blank(match):
    """Comments and texts, without what they say; lines stay where they are."""
    return re.sub(r"[^\n]", " ", match.group())


def c_functions(text):
    """Name and body of each function; its closing brace stands at the beginning of a line."""
    text = C_NOISE.sub(blank, text)
    for found in C_FUNCTION.finditer(text):
        end = text.find("\n}", found.end())
        yield found.group(1), text[found.end() : end], text.count("\n", 0, found.start()) + 1


def c_decides(body):
    return re.search(ASKS, body) or (re.search(COMPARES, body) and re.search(SPEAKS, body))


def python_functions(text):
    """Name and body of each function, from one `def` to the next."""
    found = list(re.finditer(r"^ *def (\w+)", text, re.M))
    for at, next_one in zip(found, found[1:] + [None]):
        yield at.group(1), text[at.start() : next_one and next_one.start()], text.count("\n", 0, at.start()) + 1


def python_decides(body):
    return re.search(r"\.digest\b[^\n]*(?:==|!=|\bin\b)|(?:==|!=|\bin\b)[^\n]*\.digest\b|\[[^\]\n]*\.digest", body)


def found_in(root):
    """(path, function): line."""
    out = {}
    for folders, ending, functions, decides in (
        (("src", "app", "tools"), "*.c", c_functions, c_decides),
        (("src", "app", "tools"), "*.h", c_functions, c_decides),
        (("python/sotto",), "*.py", python_functions, python_decides),
    ):
        for folder in folders:
            for path in sorted((root / folder).rglob(ending)):
                for name, body, line in functions(path.read_text(encoding="utf-8")):
                    if decides(body):
                        out[str(path.relative_to(root)), name] = line
    return out


def allowed_in(path):
    """(path, function): reason. A line is `PATH FUNCTION: REASON`, or `FOLDER/ *: REASON`; # begins a comment."""
    out = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = re.fullmatch(r"(\S+) (\w+|(?<=/ )\*): (.{15,})", line)
        if parts is None:
            sys.exit(f"{path}:{number}: is not 'PATH FUNCTION: REASON'")
        out[parts[1], parts[2]] = parts[3]
    return out


def covers(entry, found):
    path, name = entry
    return found[0].startswith(path) if name == "*" else entry == found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--list", action="store_true", help="print what was found")
    arguments = parser.parse_args()
    found = found_in(arguments.root)
    if arguments.list:
        for (path, name), line in found.items():
            print(f"{path}:{line} {name}")
        return 0
    allowed = allowed_in(arguments.root / "scripts/decisions.txt")
    problems = [
        f"{path}:{line}: {name} compares and speaks of a digest. If private data decides there, let the caller's word "
        "decide; else give the reason in scripts/decisions.txt"
        for (path, name), line in found.items()
        if not any(covers(entry, (path, name)) for entry in allowed)
    ]
    problems += [
        f"scripts/decisions.txt: {path} {name}: compares no digest any more; remove the line"
        for path, name in allowed
        if not any(covers((path, name), one) for one in found)
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
