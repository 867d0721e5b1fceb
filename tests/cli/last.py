#!/usr/bin/env python3
"""Runs a program with the last value of each option alone: scripts give usual options first and others after them, and the
program takes an option once. `last.py PROGRAM WORDS...` becomes the program, with its process id."""
import os
import sys


def last(words):
    """The words without options that stand again later; each --peer is another one."""
    kept, seen, end = [], set(), len(words)
    while end > 0:
        start = end - 1
        if start > 0 and not words[start].startswith("--") and words[start - 1].startswith("--") and "=" not in words[start - 1]:
            start -= 1
        name = words[start].split("=")[0]
        if not name.startswith("--") or name == "--peer" or name not in seen:
            kept[:0] = words[start:end]
        seen.add(name)
        end = start
    return kept


if __name__ == "__main__":
    os.execvp(sys.argv[1], [sys.argv[1], *last(sys.argv[2:])])
