#!/usr/bin/env python3
"""Words that documents and messages do not use, since the field has a term: words.py prints "file:line: word: better".

Documents are read outside of blocks of code, C files in string literals that are sentences, and in the first comment of a file. Names of
options, files and payloads are in backquotes in documents, and are not looked at."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each word, and what to write. Only words that have no other meaning in this project.
WORDS = [
    (r"told labels?", "reported label (randomised response)"),
    (r"labels? told", "shared or reported labels"),
    (r"tells? of|tell on|gives? away", "reveals, leaks"),
    (r"cut to norm|rows cut to", "clip to norm"),
    (r"rows of norm 1", "unit-norm rows, normalised rows"),
    (r"as the paper has it", "as published"),
    (r"in one place", "in one process, with one owner, centrally"),
    (r"canar(y|ies) shows?", "the canary audit gives a lower bound of"),
    (r"read beside|features beside", "concatenated with"),
    (r"dealt|deals? (it|them|nodes|customers)", "partition, split; distribute (shares)"),
    (r"by heart", "from training data"),
    (r"how sure (it|they) (is|are)", "confidence"),
    (r"(surest|less sure)", "most confident, less confident"),
    (r"thinks each node", "the predicted class of each node"),
    (r"whoever may ask", "anyone with query access"),
    (r"no graph beats none", "no graph method beats the MLP"),
    (r"points of a party", "checkpoints"),
    (r"what is fused|what is kept of|what is known of", "name the thing: generated embeddings, cached release, cluster assignment"),
    (r"takes? privacy away", "weaken privacy"),
    (r"turns? round", "changes sign"),
    (r"the recipe of|own recipe|same recipe", "method, protocol"),
    (r"pays? the price|at no price|the price is", "privacy cost, disadvantage"),
]
ALL = re.compile("|".join(rf"(?P<w{i}>(?<![\w-]){word}(?![\w-]))" for i, (word, _) in enumerate(WORDS)), re.I)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def findings(text):
    """Matches of a text, as its offset, the word and what to write."""
    for m in ALL.finditer(text):
        yield m.start(), m.group(), next(WORDS[int(name[1:])][1] for name, found in m.groupdict().items() if found)


def blank(m):
    return re.sub(r"[^\n]", " ", m.group())


def of_document(text):
    text = re.sub(r"^ *```.*?^ *```", blank, text, flags=re.S | re.M)
    return re.sub(r"<!--.*?-->|`[^`\n]*`|\]\([^)]*\)", blank, text, flags=re.S)


def of_code(text):
    """The first comment and literals with a blank in them; the rest is blank."""
    out = list(re.sub(r"[^\n]", " ", text))
    first = re.match(r"\s*/\*.*?\*/", text, re.S)
    spans = [m.span(1) for m in LITERAL.finditer(text) if " " in m[1]] + ([first.span()] if first else [])
    for begin, end in spans:
        out[begin:end] = text[begin:end].replace("\\n", "  ")
    return "".join(out)


def names():
    """The project's files; outside of git, such as in a source archive, all that lie in its folders."""
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    if shutil.which("git"):
        found = subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if found.returncode == 0:
            return [name for name in found.stdout.split("\0") if name]
    top = [p for p in ROOT.iterdir() if p.is_file()]
    return [str(p.relative_to(ROOT)) for p in top + [p for folder in ("app", "docs", "include", "python", "src", "tools") for p in (ROOT / folder).rglob("*")]]


def main():
    count = 0
    for name in names():
        path = ROOT / name
        document = name.endswith(".md") and name != "CHANGELOG.md"
        code = name.endswith((".c", ".h")) and name.startswith(("app/", "src/", "include/", "tools/"))
        if not (document or code) or not path.is_file() or name == "src/party/identity/words.c":
            continue
        text = path.read_text(encoding="utf-8")
        text = of_document(text) if document else of_code(text)
        flat = re.sub(r"\n[ *]*", lambda m: " " * len(m.group()), text)
        flat = re.sub(r" {2,}", lambda m: " " + "\x00" * (len(m.group()) - 1), flat)
        places = [i for i, c in enumerate(flat) if c != "\x00"]
        for at, word, better in findings(flat.replace("\x00", "")):
            print(f"{name}:{text.count(chr(10), 0, places[at]) + 1}: {' '.join(word.split())}: write {better}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
