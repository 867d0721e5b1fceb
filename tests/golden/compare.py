"""Compares the results of pin.py with a golden file."""
import json
import pathlib
import re

ACCURACY_SLACK = 0.15  # between processors: 48 test nodes, networks that are trained for a few epochs
FIGURE_SLACK = 1e-6  # relative, between processors


def read_lines(path):
    head, *lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return head, {line["name"]: line for line in lines}


def differences(wanted, got, where=""):
    """All (place, wanted, got) at which two trees differ."""
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        wanted, got = dict(enumerate(wanted)), dict(enumerate(got))
    if not (isinstance(wanted, dict) and isinstance(got, dict)):
        return [] if wanted == got else [(where, wanted, got)]
    found = []
    for key in dict.fromkeys([*wanted, *got]):
        found += differences(wanted.get(key), got.get(key), f"{where}.{key}" if where else str(key))
    return found


def matters(difference, exact):
    """Between processors models and predictions differ, and numbers are close."""
    where, wanted, got = difference
    if exact:
        return True
    if where.startswith(("models", "predictions")):
        return False
    if isinstance(wanted, (int, float)) and isinstance(got, (int, float)) and not isinstance(wanted, bool):
        if where.startswith("test"):
            return abs(wanted - got) > ACCURACY_SLACK
        return abs(wanted - got) > FIGURE_SLACK * max(abs(wanted), abs(got))
    return True


def read_expected(path):
    """Differences that are meant: a regular expression of the whole line, two spaces, # and the reason."""
    expected = []
    for line in pathlib.Path(path).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pattern, mark, reason = line.partition("  # ")
        if not mark or not reason.strip():
            raise SystemExit(f"{path}: no reason: {line}")
        expected.append((pattern.strip(), reason.strip()))
    return expected


def all_differences(golden, got, exact):
    """A line for each difference that matters."""
    found = []
    for name in dict.fromkeys([*golden, *got]):
        if name not in got or name not in golden:
            found.append(f"{name}: {'was not run' if name not in got else 'is not in the golden file'}")
            continue
        for difference in differences(golden[name], got[name]):
            if matters(difference, exact):
                found.append("{}: {}: was {}, is {}".format(name, *map(json.dumps, difference)).replace('"', ""))
    return found


def compare(arguments):
    """Prints all differences. Returns 0 when each of them is expected, and each expected one is there."""
    golden_head, golden = read_lines(arguments.compare)
    head, got = read_lines(arguments.results)
    exact = golden_head["probes"] == head["probes"] or golden_head["machine"] == head["machine"]
    if not exact:
        print(f"NOTE: the golden file is of another machine ({golden_head['machine']}, here {head['machine']}): models "
              "and predictions are not compared, only figures")
    expected = read_expected(arguments.expected)
    used, wrong, meant = set(), 0, 0
    for line in all_differences(golden, got, exact):
        reasons = [(pattern, reason) for pattern, reason in expected if re.fullmatch(pattern, line)]
        used.update(pattern for pattern, _ in reasons)
        wrong, meant = wrong + (not reasons), meant + bool(reasons)
        print(f"expected: {line} ({reasons[0][1]})" if reasons else line)
    for pattern, _ in expected:
        if exact and pattern not in used:
            wrong += 1
            print(f"{pathlib.Path(arguments.expected).name}: nothing differs as this says: {pattern}")
    name = pathlib.Path(arguments.compare).name
    print(f"{wrong} differences from {name} in {len(golden)} runs, and {meant} that are expected")
    return 1 if wrong else 0
