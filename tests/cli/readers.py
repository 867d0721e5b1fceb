"""What lies in run folders that may be handed on. Usage: readers.py RUN...; readers.py --worlds RUN RUN"""
import json
import os
import re
import sys

PRIVATE = {"result.json", "metrics.jsonl", "clients.json", "rounds.jsonl", "parts.csv", "predictions.csv"}
TEXTS = (".json", ".jsonl", ".html", ".yaml", ".csv", ".id")


def files(run):
    """Path and name of each file that is not in an owner-only/."""
    for folder, _, names in os.walk(run):
        if "owner-only" not in os.path.relpath(folder, run).split(os.sep):
            for name in names:
                yield os.path.join(folder, name), os.path.relpath(os.path.join(folder, name), run)


def numbers(value):
    """All numbers with a fraction in a JSON value."""
    if isinstance(value, float):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from numbers(part)


def measures(run):
    """Numbers of the run's measures as the owner has them."""
    with open(os.path.join(run, "owner-only/result.json"), encoding="utf-8") as file:
        result = json.load(file)
    found = set(numbers(result["test"])) | set(numbers(result["baseline"]))
    with open(os.path.join(run, "owner-only/metrics.jsonl"), encoding="utf-8") as file:
        return found | {x for line in file for x in numbers(json.loads(line))}


def check(run):
    """Complaints: files of measures outside owner-only/, digits of a measure in any other file (of a measure of few
    digits, that are not the beginning of a longer number)."""
    known = {x for x in measures(run) if 0 < x < 1 and len(repr(x)) > 6}
    if len(known) < 2:
        yield f"{run}: has {len(known)} measures, so the test is blind"
    digits = {f"{100 * x:.2f} %" for x in known} | {f"{x:.6g}" for x in known}
    for path, name in files(run):
        if os.path.basename(name) in PRIVATE:
            yield f"{path}: measures lie outside owner-only/"
        if name.endswith(TEXTS):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            said = {d for d in digits if d in text and (len(d) > 7 or re.search(re.escape(d) + r"(?!\d)", text))}
            if said:
                yield f"{path}: says {sorted(said)}, digits of a measure"


def without_ledger(name, text):
    """A statement without the place in the ledger where its run ended; evidence without what follows from that and from ids."""
    if name == "statement.json":
        statement = json.loads(text)
        statement["ledger"] = None
        return json.dumps(statement)
    if name == "evidence.json":
        evidence = json.loads(text)
        digests = {file: "" if file in ("statement.json", "run.id", "run.yaml") else digest for file, digest in evidence["files"].items()}
        return json.dumps(digests)
    return re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", text) if name == "report.html" else text


def plain(path):
    """The bytes of a file without what a clock, a random id or the ledger puts there."""
    with open(path, "rb") as file:
        data = file.read()
    if not path.endswith(TEXTS):
        return data
    text = without_ledger(os.path.basename(path), data.decode())
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?", "DATE", text)
    text = re.sub(r'"?(date|seconds)"?: ?[^,]*', "TIME", text)
    return re.sub(r"\b[0-9a-f]{32}\b|[\d.]+ (MB|s)\b", "ID", text).encode()


def worlds(one, other):
    """Runs with one seed on data that differ in one private item: only the owner's files differ."""
    if measures(one) == measures(other):
        yield "the item changes no measure, so the test is blind"
    names = sorted(name for _, name in files(one))
    if names != sorted(name for _, name in files(other)):
        yield "the worlds have different files"
        return
    for name in names:
        if name in ("run.yaml", "run.id", "lock") or name.endswith(".made"):
            continue
        if plain(os.path.join(one, name)) != plain(os.path.join(other, name)):
            yield f"{name}: differs between the worlds"


def main(words):
    if words[0] == "--worlds":
        wrong = list(worlds(*words[1:]))
    else:
        wrong = [complaint for run in words for complaint in check(run)]
    print("".join(f"{line}\n" for line in wrong), end="")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
