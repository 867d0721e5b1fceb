"""Calls in src of the functions that draw noise inside, and copies of these files in which each of the calls can be
made without noise.

The noise of a release is also lost by the code around the innermost call: a condition that is never true, a loop that ends
early, a call that is left out. While a call that SOTTO_SITE names is running, with SOTTO_FAULT=muted, no noise function adds
anything (sites.c).

  callers.py --list           files that have such calls
  callers.py --write FOLDER   their copies"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Above these a call is a whole method, and what it draws is told by its own calls.
LEVELS = 3
# Not a method's code: audits themselves, mechanisms, other programs' doors.
OUTSIDE = re.compile(r"src/(dp|audit)/|canary|src/pmp/(lapgraph|edge_response)\.c")
DEFINED = re.compile(r"^((?:static |inline )*)([a-z]\w*(?: \w+)*[ *]+)(\w+)\(")


def noise_functions():
    """The functions that sites.h has a macro for."""
    text = (ROOT / "tests/faults/sites.h").read_text()
    return re.findall(r"^#define (sotto_\w+)\(", text, re.M)


class Function:
    def __init__(self, path, name, returns, static, first, last):
        self.path, self.name, self.returns, self.static, self.first, self.last = path, name, returns, static, first, last


def sources():
    return {str(p.relative_to(ROOT)): p.read_text() for p in sorted((ROOT / "src").rglob("*.c"))}


def definitions(path, text):
    """Functions that are defined in a file, with their lines."""
    lines, found = text.splitlines(), []
    for number, line in enumerate(lines, 1):
        match = DEFINED.match(line)
        if not match:
            continue
        head = number
        while head <= len(lines) and not re.search(r"[;{]\s*$", lines[head - 1]):
            head += 1
        if head > len(lines) or lines[head - 1].rstrip().endswith(";"):
            continue
        last = head
        while last <= len(lines) and lines[last - 1] != "}":
            last += 1
        returns = match.group(2).strip()
        found.append(Function(path, match.group(3), returns, "static" in match.group(1), head + 1, last))
    return found


def calls_in(function, text, names):
    """Offsets of calls of these names in a function's body."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    begin, end = starts[function.first - 1], starts[min(function.last, len(starts) - 1)]
    for match in re.finditer(rf"(?<![\w.>])({names})\(", text[begin:end]):
        at = begin + match.start()
        line = text[text.rfind("\n", 0, at) + 1:at]
        if "/*" in line or line.lstrip().startswith("*"):
            continue
        yield at, match.group(1)
    # Functions that threads call: the call that gives it to them.
    for match in re.finditer(rf"sotto_i_parallel\([^;]*?\b({names}), ", text[begin:end]):
        yield begin + match.start(), match.group(1)


def callers(innermost):
    """(path, offset, line, function called, its return type) of each call above the noise functions."""
    texts = sources()
    files = {path: text for path, text in texts.items() if not OUTSIDE.search(path)}
    defined = {path: definitions(path, text) for path, text in files.items()}
    every = [f for of in defined.values() for f in of]
    drawing = [f for f in every if any(True for _ in calls_in(f, files[f.path], "|".join(innermost)))]
    known, found = {(f.path, f.name) for f in drawing}, []
    for _ in range(LEVELS):
        above = []
        for inner in drawing:
            for f in defined[inner.path] if inner.static else every:
                for at, _name in calls_in(f, files[f.path], inner.name):
                    found.append((f.path, at, files[f.path].count("\n", 0, at) + 1, inner))
                    if (f.path, f.name) not in known:
                        known.add((f.path, f.name))
                        above.append(f)
        drawing = above
    return files, sorted(set(found), key=lambda c: (c[0], c[1]))


def end_of_call(text, at):
    depth = 0
    for place in range(text.index("(", at), len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise ValueError("no end of a call")


def rewritten(path, text, calls):
    """The text with each call named, on the same lines."""
    edits = []
    for _, at, line, inner in calls:
        site = f'(check_site){{"{path}", {line}}}'
        end = end_of_call(text, at)
        if inner.returns == "void" or text[at:].startswith("sotto_i_parallel("):
            edits += [(at, f"({{ check_call({site}, 1); "), (end, f"; check_call({site}, -1); }})")]
        else:
            edits += [(at, f"({{ check_call({site}, 1); {inner.returns} check_got = "),
                      (end, f"; check_call({site}, -1); check_got; }})")]
    for at, words in sorted(edits, reverse=True):
        text = text[:at] + words + text[at:]
    return f'#line 1 "{ROOT / path}"\n{text}'


def main():
    files, found = callers(noise_functions())
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    if folder is None:
        print("\n".join(sorted({c[0] for c in found})))
        return
    for path in sorted({c[0] for c in found}):
        out = Path(folder, path)
        out.parent.mkdir(parents=True, exist_ok=True)
        text = rewritten(path, files[path], [c for c in found if c[0] == path])
        if not out.exists() or out.read_text() != text:
            out.write_text(text)
        else:
            out.touch()


if __name__ == "__main__":
    main()
