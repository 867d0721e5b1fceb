"""Reads bench/reproduction.yaml: lists of entries, each key's value a JSON string or a word on the same line. That much of YAML is
enough here, and needs no package."""
import json
import pathlib
import sys


def value(text):
    return json.loads(text) if text.startswith('"') else text


def read(path):
    """{list: [{key: text}]}"""
    lists, entries = {}, None
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        key, colon, text = bare.removeprefix("- ").partition(":")
        if not colon:
            sys.exit(f"{path}:{number}: not a line of the form key: value")
        if not line.startswith((" ", "-")):
            entries = lists.setdefault(key, [])
            continue
        if bare.startswith("- "):
            entries.append({})
        entries[-1][key] = value(text.strip())
    return lists
