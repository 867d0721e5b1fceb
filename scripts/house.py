#!/usr/bin/env python3
"""Checks the structure of the source tree: dependencies between rooms, cycles, method names, sizes, words, and that the
files that documents name exist.

Every finding is printed as "file:line: sentence", and the exit status is 1 if there is any. The rules are described in
docs/architecture.md.

  scripts/house.py                      check the tree that this script lies in
  scripts/house.py --root DIR           check another tree
  scripts/house.py --known FILE         accept the findings that FILE lists, one "rule path" a line; a listed finding
                                        that no longer occurs is an error, so the list can only shrink
  scripts/house.py --write-known FILE   list the findings of today in FILE
"""
import argparse
import ast
import collections
import os
import re
import subprocess
import sys

# Rooms from below. A file includes files of its own room and of rooms on lower lines; rooms on one line do not
# include each other.
LEVELS = [
    ["base"],
    ["tensor", "ranks"],
    ["graph"],
    ["dp"],
    ["release"],
    ["nn", "mpc"],
    ["pmp", "gw"],
    ["party"],
    ["run"],
    ["protocols"],
    ["audit"],
    ["methods"],
    ["app"],
]
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}

# include/sotto/<name>.h belongs to the room <name>; these to another one. A header that is neither is one of run.
HEADER_ROOMS = {"alerts": "nn", "generate": "graph", "schema": "graph", "split": "graph", "cancel": "base", "choices": "base", "options": "base", "align": "party", "attack": "audit", "claims": "dp", "consortium": "party", "guarantee": "dp", "ledger": "dp",
                "secure_sum": "party"}

# Folders of methods that build on the folder of another method.
FAMILIES = {"feddep": ["federated"], "gwldp": ["federated"], "pertgraph": ["gnn"],
            "dpdgc": ["layers_then_classify"],  # its node level releases a sum and classifies, as gap's does
            "mlp": ["vesper"],                  # the first stage of two parties, without any edge
            "gnn": ["vesper"]}                  # gin is vesper without noise
REGISTRY = "src/methods/registry.c"

# Names that are also words of the language or of the field: only a literal that is the name alone counts, and an
# identifier only where the name stands for the method.
ORDINARY = {"best", "gap", "gnn", "mlp", "sage"}
# Identifiers that name what a paper published, which needs no run: `sotto account` reckons with it.
PUBLISHED = re.compile(r"sotto_paper_\w+$|cli_account_\w+_paper$")
# Literals that are a method's name by chance: (folder, literal).
ALLOWED_LITERALS = {("src/methods/federated", "best"), ("src/methods/vfgnn", "best"),  # the best checkpoint
                    ("src/party/identity", "best"), ("src/party/identity", "gap"),  # words of fingerprints
                    ("src/base", "sage"),  # the aggregator of GraphSAGE
                    # values of its option publication, named after the methods that publish so
                    ("src/methods/vesper", "gap"), ("src/methods/vesper", "layers gap vfgnn counts"),
                    ("src/protocols", "layers gap vfgnn counts rows asymmetric edgerand lapgraph code multibit")}

MOST_FUNCTION_LINES = 60

# Words that refer to something outside the project, or to work that was not done. Written so that this file has none.
WORDS = [
    (r"\bDESI[G]N\b", "refers to a document outside the project"),
    (r"\brule R\d", "refers to a document outside the project; say the rule or link docs/privacy.md"),
    (r"(?i)\bpapers? 00\d", "cites a paper by a number; cite author and year (docs/references.md)"),
    (r"/wor[k]/", "names a folder of one machine"),
    (r"(?i)\bissue #?\d", "refers to an issue by number"),
    (r"\bTO[D]O\b|\bFIX[M]E\b", "announces work that was not done"),
]

Finding = collections.namedtuple("Finding", "rule path line text")


def tracked(root):
    """Paths of the files that git tracks or could track, or of all files outside build folders without git."""
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        paths = [p for p in out.decode().split("\0") if p]
    except (OSError, subprocess.CalledProcessError):
        paths = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith((".", "build", "__pycache__"))]
            paths += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(set(p for p in paths if os.path.isfile(os.path.join(root, p))))


def blanked(text):
    """The code with comments and the insides of literals as blanks, and the list of string literals (line, value)."""
    out, literals = [], []
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    at = 0
    for m in token.finditer(text):
        out.append(text[at:m.start()])
        found = m.group()
        if found[0] in "\"'":
            if found[0] == '"':
                literals.append((text.count("\n", 0, m.start()) + 1, found[1:-1]))
            out.append(found[0] + " " * (len(found) - 2) + found[0])
        else:
            out.append(re.sub(r"[^\n]", " ", found))
        at = m.end()
    out.append(text[at:])
    return "".join(out), literals


class Source:
    """One C file: its code without comments, its literals and what it includes."""

    def __init__(self, root, path):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        self.path = path
        self.folder = os.path.dirname(path)
        self.lines = text.count("\n") + (0 if text.endswith("\n") or text == "" else 1)
        self.code, literals = blanked(text)
        code_lines = self.code.split("\n")
        included = {n for n, line in enumerate(code_lines, 1) if re.match(r"\s*#\s*include\b", line)}
        self.literals = [(n, value) for n, value in literals if n not in included]
        self.includes = []
        for n, line in enumerate(text.split("\n"), 1):
            m = re.match(r'\s*#\s*include\s*[<"]([^">]+)[">]', line) if n in included else None
            if m:
                self.includes.append((n, m.group(1)))


def room_of(path):
    parts = path.split("/")
    if parts[0] == "app":
        return "app"
    if parts[0] == "include":
        name = os.path.splitext(parts[-1])[0]
        return HEADER_ROOMS.get(name, name if name in LEVEL and name not in ("methods", "app") else "run")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def method_folder(path):
    parts = path.split("/")
    return parts[2] if parts[:2] == ["src", "methods"] and len(parts) > 3 else None


def resolve(sources, source, name):
    for base in (source.folder, "src", "app", "include"):
        path = os.path.normpath(os.path.join(base, name))
        if path in sources:
            return path
    return None


def check_includes(sources, arrows):
    for source, line, target in arrows:
        own, other = room_of(source.path), room_of(target)
        if other not in LEVEL or own not in LEVEL:
            lost = source.path if own not in LEVEL else target
            yield Finding("rooms", source.path, line, f"the room of {lost} is not in the list of this script")
            continue
        if own == "app":
            if other not in ("app", "base") and not target.startswith("include/sotto/"):
                yield Finding("public", source.path, line, f"includes the private header {target}; the program uses "
                              "public headers (include/sotto), src/base and its own")
            continue
        if own != other and LEVEL[own] <= LEVEL[other]:
            yield Finding("rooms", source.path, line, f"{own} may not use {other} ({target}): it is not below it")
        mine, theirs = method_folder(source.path), method_folder(target)
        if theirs and mine != theirs and own == "methods" and source.path != REGISTRY:
            if mine is None:
                yield Finding("families", source.path, line, f"only {REGISTRY} includes all methods, not {target}")
            elif theirs not in FAMILIES.get(mine, []):
                yield Finding("families", source.path, line, f"the method {mine} may not use the folder of {theirs}; "
                              "declare a family in scripts/house.py or move what is shared to src/nn or src/protocols")


def components(graph):
    """Strongly connected components of more than one node (Tarjan), each sorted."""
    index, low, stack, on, out = {}, {}, [], set(), []

    def visit(root):
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    if len(group) > 1:
                        out.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return out


def check_cycles(arrows):
    """A .c file and the .h file of its name are one node: A.c using B.h and B.c using A.h is a cycle."""
    for rule, key, what in (("file-cycle", lambda p: os.path.splitext(p)[0], "files"),
                            ("folder-cycle", os.path.dirname, "folders")):
        graph, first = collections.defaultdict(set), {}
        for source, line, target in arrows:
            a, b = key(source.path), key(target)
            graph[b]  # every node is a key
            if a != b:
                graph[a].add(b)
                first.setdefault((a, b), (source.path, line))
        for group in components(graph):
            for a in group:
                b = min(t for t in graph[a] if t in group)
                path, line = first[a, b]
                names = ", ".join(group[:6]) + (f" and {len(group) - 6} more" if len(group) > 6 else "")
                yield Finding(rule, path, line, f"{a} and {b} are in a cycle of {len(group)} {what}: {names}")


def methods_of(sources):
    """The methods, as their table entries name them, and the folders that may name each: its own, and those of methods
    that build on that folder."""
    entry = re.compile(r"\bsotto_i_method_\w+\s*=\s*\{")
    out = {}
    for source in sources.values():
        folder = method_folder(source.path)
        if not folder or not entry.search(source.code):
            continue
        lines = source.code.split("\n")
        for line, value in source.literals:
            if re.match(r"\s*(const .*=\s*\{)?\s*\.name\s*=", lines[line - 1]) and entry.search(
                    "\n".join(lines[max(0, line - 3):line])):
                out[value] = {folder} | {f for f, used in FAMILIES.items() if folder in used}
    return out


def named_by(identifier, methods):
    """The methods that an identifier names: one of its words is the name; of ordinary words, where it stands for the
    method (sotto_i_NAME_run, sotto_i_method_NAME) or is a constant of its own."""
    words = identifier.lower().split("_")
    for method in methods:
        bare = method.replace("+", "")
        if bare not in words or PUBLISHED.match(identifier):
            continue
        if method in ORDINARY and not re.match(
                rf"sotto_i_((method|predict)_)?{bare}(_|$)|\w*METHOD_{bare.upper()}$", identifier):
            continue
        yield method


def check_names(sources):
    methods = methods_of(sources)
    if REGISTRY in sources and not methods:
        yield Finding("names", REGISTRY, 1, "no table entry of a method was found, so that no name can be looked for")
    identifier = re.compile(r"\b[A-Za-z_]\w*")
    for source in sources.values():
        own = method_folder(source.path)
        if source.path == REGISTRY:
            continue
        for line, value in source.literals:
            found = [value] if value in methods else []
            if not found and not source.path.startswith("app/"):
                words = set(re.findall(r"[a-z]+\+?", value))
                found = [m for m in methods if m in words and m not in ORDINARY]
            for name in found:
                if own not in methods[name] and (source.folder, value) not in ALLOWED_LITERALS:
                    yield Finding("names", source.path, line, f'names the method {name} in "{value}"; only its own '
                                  "folder and the registry know it")
        for line, text in enumerate(source.code.split("\n"), 1):
            for word in identifier.findall(text):
                for name in named_by(word, methods):
                    if own not in methods[name]:
                        yield Finding("names", source.path, line, f"{word} names the method {name}; only its own "
                                      "folder and the registry know it")


def check_mechanisms(sources):
    """What has to be known of a mechanism is in its descriptor: nobody tells kinds apart, but the samplers that make them."""
    case, compared = re.compile(r"\bcase\s+SOTTO_MECHANISM_\w+"), re.compile(r"[!=]=\s*SOTTO_MECHANISM_|\bSOTTO_MECHANISM_\w+\s*[!=]=")
    for source in sources.values():
        if not source.path.startswith(("src/", "app/")):
            continue
        for line, text in enumerate(source.code.split("\n"), 1):
            if case.search(text) or (compared.search(text) and not source.path.startswith("src/dp/")):
                yield Finding("mechanisms", source.path, line, "tells kinds of mechanisms apart; ask the descriptor "
                              "(src/dp/mechanisms/mechanism.h)")


def functions(code):
    """(name, first line, last line) of every function body at file level."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), code, flags=re.M)
    code = re.sub(r'\bextern\s+"[^"\n]*"\s*\{', lambda m: re.sub(r"[^\n{]", " ", m.group()).replace("{", ";"), code)
    depth, start, opened, head = 0, None, None, ""
    line = 1
    for c in code:
        if c == "\n":
            line += 1
        if depth == 0:
            if c in ";}":
                start, head = None, ""
            elif not c.isspace() and start is None:
                start = line
            if c != "{":
                head += c
        if c == "{":
            if depth == 0 and head.rstrip().endswith(")"):
                name = re.search(r"(\w+)\s*\(", head)
                opened = (name.group(1) if name else "?", start)
            depth += 1
        elif c == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if opened:
                    yield opened[0], opened[1], line
                opened, start, head = None, None, ""


def check_sizes(sources):
    for source in sources.values():
        if source.path.startswith("include/"):
            continue
        for name, first, last in functions(source.code):
            if last - first + 1 > MOST_FUNCTION_LINES:
                yield Finding("function-size", source.path, first, f"{name} has {last - first + 1} lines; a function "
                              f"has at most {MOST_FUNCTION_LINES}")


def check_python(root, paths):
    """Functions of the Python package are as small as those of C; a docstring does not count."""
    for path in paths:
        if not path.startswith("python/") or not path.endswith(".py"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            docstring = node.body[0].end_lineno - node.body[0].lineno + 1 if ast.get_docstring(node) else 0
            size = node.end_lineno - node.lineno + 1 - docstring
            if size > MOST_FUNCTION_LINES:
                yield Finding("function-size", path, node.lineno, f"{node.name} has {size} lines; a function has at "
                              f"most {MOST_FUNCTION_LINES}")


def check_tags(sources):
    """A tag that files share (sotto_...) is one type: two of a name may meet in one file some day."""
    tag = re.compile(r"\b(?:struct|union|enum)\s+(sotto_\w+)\s*\{")
    first = {}
    for source in sources.values():
        for line, text in enumerate(source.code.split("\n"), 1):
            for name in tag.findall(text):
                if name in first:
                    yield Finding("tags", source.path, line, f"{name} is defined in {first[name]}, too; give one of "
                                  "the two another name")
                first.setdefault(name, f"{source.path}:{line}")


def check_flags(sources):
    """Programs in any language read what the library says: it speaks of options, never of command-line flags."""
    for source in sources.values():
        if not source.path.startswith("src/"):
            continue
        for line, value in source.literals:
            m = re.search(r"(?:^|[^-\w])--[a-z][a-z-]*", value)
            if m:
                yield Finding("flags", source.path, line, f'"{m.group().strip()}" is a flag of the program; the library '
                              "names the option alone")


def check_printing(sources):
    """What foreign text a line holds is hard to see, so all of them are cleaned in one place."""
    direct = re.compile(r"\b(?:v?printf\s*\(|v?fprintf\s*\(\s*std(?:out|err)\b)")
    for source in sources.values():
        if not source.path.startswith("app/"):
            continue
        for line, text in enumerate(source.code.split("\n"), 1):
            if direct.search(text):
                yield Finding("printing", source.path, line, "prints to a terminal without app_print "
                              "(app/common/print.h), which takes control characters out")


def check_words(root, paths):
    patterns = [(re.compile(p), why) for p, why in WORDS]
    for path in paths:
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                lines = file.read().split("\n")
        except (UnicodeDecodeError, OSError):
            continue
        for n, line in enumerate(lines, 1):
            for pattern, why in patterns:
                m = pattern.search(line)
                if m:
                    yield Finding("words", path, n, f'"{m.group()}" {why}')


def check_paths(root, paths):
    """Files that documents name, and links between documents, exist."""
    known = set(paths)
    named = re.compile(r"(?<![\w./-])((?:src|app|include|tests|tools|bench|scripts|docs|proto|examples)/"
                       r"[\w./-]*\w\.[a-z]{1,5})\b")
    link = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
    for path in paths:
        if not path.endswith(".md"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
        for n, line in enumerate(lines, 1):
            targets = [(m.group(1), m.group(1)) for m in named.finditer(re.sub(r"\]\([^)]*\)", "]", line))]
            targets += [(m.group(1), os.path.normpath(os.path.join(os.path.dirname(path), m.group(1))))
                        for m in link.finditer(line) if "://" not in m.group(1)]
            for text, target in targets:
                if target not in known and not os.path.isdir(os.path.join(root, target)):
                    yield Finding("paths", path, n, f"names {text}, which does not exist")


def findings(root):
    paths = tracked(root)
    code = [p for p in paths if p.endswith((".c", ".h")) and p.startswith(("src/", "app/", "include/"))]
    sources = {p: Source(root, p) for p in code}
    arrows = []
    for source in sources.values():
        for line, name in source.includes:
            target = resolve(sources, source, name)
            if target:
                arrows.append((source, line, target))
    out = list(check_includes(sources, arrows))
    out += check_cycles(arrows)
    out += check_names(sources)
    out += check_mechanisms(sources)
    out += check_sizes(sources)
    out += check_python(root, paths)
    out += check_tags(sources)
    out += check_flags(sources)
    out += check_printing(sources)
    out += check_words(root, paths)
    out += check_paths(root, paths)
    return sorted(set(out), key=lambda f: (f.path, f.line, f.rule, f.text))


def read_known(path):
    known = {}
    with open(path, encoding="utf-8") as file:
        for n, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if words:
                known[tuple(words[:2])] = n
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--known", metavar="FILE")
    parser.add_argument("--write-known", metavar="FILE")
    options = parser.parse_args()
    found = findings(options.root)
    if options.write_known:
        with open(options.write_known, "w", encoding="utf-8") as file:
            file.write("# Findings of scripts/house.py that are accepted for now: rule and file. The list may only\n"
                       "# shrink. After files have moved: scripts/house.py --write-known scripts/house-known.txt\n")
            for rule, path in sorted({(f.rule, f.path) for f in found}):
                file.write(f"{rule} {path}\n")
        return 0
    known = read_known(options.known) if options.known else {}
    shown = [f for f in found if (f.rule, f.path) not in known]
    for f in shown:
        print(f"{f.path}:{f.line}: {f.text} [{f.rule}]")
    gone = sorted(set(known) - {(f.rule, f.path) for f in found})
    for rule, path in gone:
        print(f"{options.known}:{known[rule, path]}: the finding \"{rule} {path}\" no longer occurs; remove the line")
    return 1 if shown or gone else 0


if __name__ == "__main__":
    sys.exit(main())
