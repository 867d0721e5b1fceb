#!/usr/bin/env python3
"""The table of a run folder's files in docs/run-files.md, from the declarations at the calls that write them.

  scripts/run_files.py            writes the table
  scripts/run_files.py --check    compares it, and fails where a file is written past the declarations
  scripts/run_files.py --match RUN...   names the files of run folders that no row declares
"""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/run-files.md"
BEGIN, END = "<!-- files: from scripts/run_files.py -->\n", "<!-- end of files -->\n"
STRING = r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*'
DECLARED = re.compile(r"\b(?:sotto_i|app)_folder_file \w+ = \{\s*(" + STRING + r"),\s*(?:SOTTO_I|APP)_FOR_(\w+),\s*("
                      + STRING + r")\}")
READERS = {"ANYONE": "anyone", "MEASURES": "anyone; the owner where measures are private", "SIZES": "anyone; the owner at graph and client level",
           "LABELS": "anyone; the owner where labels are private",
           "PARTY": "the party",
           "OWNER": "the owner"}
# Writers of files by path. Rooms of runs call them for the path of a declaration, or of a release (artifact.h).
WRITES = re.compile(r"\b(sotto_i_write_file|sotto_i_writer_open)\(")
BY_PATH = {"src/run/settings/run_file.c": "run.yaml, at the path that run_folder.c declares",
           "src/run/files/folder_file.c": "the call itself",
           "src/run/storage/metrics.c": "at the declared path",
           "src/run/storage/night_log_file.c": "nights/owner-only/edges.bin",
           "src/release/draw.c": "FILE.made of a release",
           "src/release/artifact.c": "a key as an artifact, in owner-only/",
           "src/methods/vesper/as_published/vesper_paper_data.c": "an empty mark as an artifact"}
# Files whose names follow from a release's (FILE.made), what the plan of nights keeps, and what the ledger writes (dp/ledger/home.c).
OTHERS = [("*.made, and the file without .made", "anyone", "a release: one draw of a mechanism that is charged"),
          ("owner-only/*.key, owner-only/*.key.made", "the owner", "random: keys of noise"),
          ("owner-only/ledger", "the owner", "path and id of the ledger that was charged"),
          ("nights/owner-only/*", "the owner", "private edges of every night; the data of the training")]


def words(literal):
    """The text of adjacent C strings."""
    return "".join(part.replace('\\"', '"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', literal))


def place(name, reader):
    if reader in ("PARTY", "OWNER"):
        head, slash, tail = name.partition("/")
        return f"{head}/owner-only/{tail}" if slash else f"owner-only/{name}"
    return name


def declarations():
    """Rows (name as it lies in the folder, reader, function of), each once."""
    rows = set()
    for path in sorted([*ROOT.glob("src/**/*.c"), *ROOT.glob("app/**/*.c")]):
        text = path.read_text(encoding="utf-8")
        for name, reader, of in DECLARED.findall(text):
            rows.add((place(words(name), reader), reader, words(of)))
    return sorted(rows, key=lambda row: ("/" in row[0].replace("owner-only/", ""), row))


def table():
    lines = ["| file | reader | what it is a function of |\n", "|---|---|---|\n"]
    lines += [f"| `{name}` | {READERS[reader]} | {of} |\n" for name, reader, of in declarations()]
    lines += [f"| {name} | {reader} | {of} |\n" for name, reader, of in OTHERS]
    return "".join(lines)


def undeclared_writers():
    """Files of the rooms of runs that write to a path, and are not known to take it from a declaration."""
    found = []
    for room in ("run", "methods", "protocols"):
        for path in sorted((ROOT / "src" / room).glob("**/*.c")):
            name = str(path.relative_to(ROOT))
            if WRITES.search(path.read_text(encoding="utf-8")) and name not in BY_PATH:
                found.append(name)
    return found


def is_declared(name, there, patterns):
    if name.endswith(".made") or name + ".made" in there or re.search(r"(^|/)(nights/owner-only/|owner-only/ledger$)", name):
        return True
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def unmatched(folder):
    """Files of a run folder that no row has."""
    patterns = []
    for name, reader, _ in declarations():
        patterns.append(name)
        if reader in ("MEASURES", "SIZES", "LABELS"):
            patterns.append(place(name, "OWNER"))
    folder = pathlib.Path(folder)
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return sorted(name for name in there if not is_declared(name, there, patterns))


def main(words_given):
    if words_given[:1] == ["--match"]:
        wrong = [f"{folder}/{name}" for folder in words_given[1:] for name in unmatched(folder)]
        print("".join(f"{name}: no declaration has it (scripts/run_files.py)\n" for name in wrong), end="")
        return 1 if wrong else 0
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    tail = rest.partition(END)[2]
    made = head + BEGIN + table() + END + tail
    if words_given != ["--check"]:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    writers = undeclared_writers()
    for name in writers:
        print(f"{name}: writes a file to a path; declare it as a sotto_i_folder_file, with its reader")
    if made != page:
        print("docs/run-files.md: its table of files is not that of the declarations; run scripts/run_files.py")
    return 1 if writers or made != page else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
