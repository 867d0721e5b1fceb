"""The lines of bench/peers/run.py: which are refused, and the table and plots that are made of them."""
import collections
import json
import math
import statistics
import subprocess

# Of a line that is written: who and what, then figures. The first eight and the times are always there.
HEAD = {"task": str, "dataset": str, "peer": str, "method": str, "options": dict, "seed": int, "selection": bool, "version": str}
FIGURES = ("wall_s", "cpu_s", "peak_mb", "accuracy", "auc", "macro_f1", "validation", "sent_bytes", "epsilon_theirs", "epsilon_ours",
           "items", "value")
KEYS = (*HEAD, *FIGURES, "releases")
SHARES = ("accuracy", "auc", "macro_f1", "validation")


class Refused(Exception):
    """A line that cannot be merged."""


def checked(line):
    if not isinstance(line, dict):
        raise Refused("a line is no object")
    for key, kind in HEAD.items():
        if not isinstance(line.get(key), kind):
            raise Refused(f"'{key}' is missing or no {kind.__name__}")
    for key in set(line) - set(KEYS):
        raise Refused(f"'{key}' is not a key of a line")
    for key in ("wall_s", "cpu_s"):
        if key not in line:
            raise Refused(f"'{key}' is missing")
    for key in FIGURES:
        value = line.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            raise Refused(f"'{key}' is {value!r}, which is no figure")
        if key in SHARES and value > 1:
            raise Refused(f"'{key}' is {value}, and it is a share of 1")
    return line


def read(file):
    for number, text in enumerate(file, 1):
        try:
            yield checked(json.loads(text))
        except (json.JSONDecodeError, Refused) as why:
            raise SystemExit(f"line {number}: {why}; remove it, and the run is made again") from None


def write(lines, skipped, build, out):
    pass
