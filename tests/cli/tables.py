"""Checks docs/tables.md: writes each input that it shows, opens it with `sotto data info`, and compares what is decided or
refused. `tables.py --write` puts what the program says today in its place. The program is $SOTTO.

A block of the page has one input: a title, `file NAME CONTENT` lines, a command, and what it says. Contents are as
Python writes strings. Commands behind the first one are the ways out of a refusal."""
import ast
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

SOTTO = os.environ["SOTTO"]
PAGE = os.path.join(os.environ.get("SOTTO_SOURCE", "."), "docs", "tables.md")


def column(found):
    """One column of a table, in few words."""
    said = f"{found['name']}: {found['kind']}"
    if found.get("features"):
        said += f" {found['features']}"
    if found.get("missing"):
        said += f", {found['missing']} missing"
    if found.get("missing_words"):
        said += f" ({found['missing_words']})"
    return said


def decided(folder, command):
    """What `sotto data info` says of the input, in one line, and whether it was read."""
    words = shlex.split(command)
    done = subprocess.run([SOTTO, "data", "info", *words, "--json"], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        lines = done.stderr.strip().split("\n")
        assert done.returncode == 1 and len(lines) == 1, (command, done.returncode, done.stderr)
        return lines[0].removeprefix("sotto: "), False
    found = json.loads(done.stdout)
    counts = ", ".join(f"{found[key]} {key}" for key in ("nodes", "edges", "features", "classes"))
    columns = "; ".join(column(one) for one in found["columns"])
    left_out = "".join(f"; {found[key]} {key.replace('_', '-')} left out" for key in ("self_loops", "repeats") if found[key])
    return f"{counts}; {found['form']}{left_out}" + (f" | {columns}" if columns else ""), True


def put(folder, name, content):
    """Writes a file. A name that ends with .gz is packed; a content that begins with GZIP: or PLAIN: says otherwise."""
    data = content if isinstance(content, bytes) else content.encode()
    packed = data.startswith(b"GZIP:") or (name.endswith(".gz") and not data.startswith(b"PLAIN:"))
    data = data.removeprefix(b"GZIP:").removeprefix(b"PLAIN:")
    with open(os.path.join(folder, name), "wb") as file:
        file.write(gzip.compress(data, mtime=0) if packed else data)


def block(lines):
    """The lines of a block as they should be; fails where an input is read in silence or has no way out."""
    out, refused, ways = [lines[0]], False, 0
    with tempfile.TemporaryDirectory() as folder:
        for line in lines[1:]:
            if line.startswith("file "):
                name, content = line[5:].split(" ", 1)
                put(folder, name, ast.literal_eval(content))
                out.append(line)
            elif line.startswith("sotto "):
                said, read = decided(folder, line.removeprefix("sotto data info "))
                refused, ways = refused or not read, ways + (read and refused)
                out += [line, ("read: " if read else "refused: ") + said]
    assert not refused or ways > 0, ("no way out is shown", lines[0])
    return out


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    inputs = 0

    def renewed(match):
        nonlocal inputs
        inputs += 1
        return "```\n" + "\n".join(block(match.group(1).split("\n"))) + "\n```"

    made = re.sub(r"```\n(.*?)\n```", renewed, page, flags=re.S)
    if "--write" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
    elif made != page:
        shown, said = page.split("\n"), made.split("\n")
        for one, other in zip(shown, said):
            if one != other:
                print(f"< {one}\n> {other}", file=sys.stderr)
        sys.exit("docs/tables.md shows something else (< is what it shows); tables.py --write renews it")
    print(f"{inputs} inputs")
    assert inputs >= 60, inputs


if __name__ == "__main__":
    main()
