#!/usr/bin/env python3
"""Runs the blocks of README.md and docs/ whose lines begin with a prompt, and compares what they print with what is shown.

Each document is one story: its blocks run in order, in a folder of their own, with a home folder of their own. `$ ` is a shell in that
folder; `bank$ ` is another one, in its folder bank. A command that shows an error (`sotto: ...`) has to fail, one that ends in
`# exit N` has to end with N, and any other one has to succeed. Output is compared word by word:
  ...                        stands for words or lines that were left out, and within a word for a part of it
  times, sizes, dates, digests,
  words of fingerprints      any others fit
  127.0.0.1, NAME.example    an address of this test alone
Every status of include/sotto/base.h has a page in docs/errors.
Comments of HTML above a block:
  <!-- not run: REASON -->   the block is not run; a reason that names a script in tests/ leaves the block to that script
  <!-- run together -->      the shells of several machines run their lines of the block at the same time
  <!-- measures vary -->     figures with a decimal point or a per cent sign may differ by a fifth (`measures vary by 40 %`: by more),
                             bounds ("at least") and numbers of runs by any: noise is drawn anew
  <!-- first: COMMANDS -->   runs in the folder of the document before the block
  <!-- file: NAME -->        the block is a file of that name in the folder of the document

  documents.py [--show] [DOCUMENT...]     --show prints what the commands print today"""
import argparse
import concurrent.futures
import difflib
import glob
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROMPT = re.compile(r"(?P<who>[a-z][a-z0-9_-]*)?\$ +(?P<command>.*)")
PROGRESS = re.compile(r"^[\w -]+ done \(\d+\)\n", re.M)  # where the program writes to no terminal; not shown
LONGEST = 400  # seconds of one command: one that hangs, and none that waits for a busy machine


class Wrong(Exception):
    """A block does not do what its document says."""


class Command:
    def __init__(self, who, text, line):
        self.who, self.text, self.line, self.shown, self.said, self.status = who, text, line, [], "", 0

    def goes_on(self):
        """Whether the next line is a part of the command."""
        end = re.search(r"<< '(\w+)'", self.text)
        return self.text.endswith("\\") or bool(end) and self.text.split("\n")[-1] != end[1]


class Block:
    def __init__(self, path, line, comments, lines):
        self.path, self.line, self.commands, self.reason, self.first, self.file = path, line, [], None, [], None
        self.together = "run together" in comments
        self.vary = 0
        for comment in comments:
            kind, _, rest = comment.partition(":")
            if kind == "not run":
                self.reason = rest.strip()
            elif kind == "first":
                self.first.append(rest.strip())
            elif kind == "file":
                self.file, self.text = rest.strip(), "\n".join(lines) + "\n"
                return
            m = re.fullmatch(r"measures vary(?: by (\d+) %)?", comment)
            self.vary = int(m[1] or 20) / 100 if m else self.vary
        for number, text in enumerate(lines, line + 1):
            m = PROMPT.match(text)
            if m:
                self.commands.append(Command(m["who"] or "", m["command"], number))
            elif self.commands and self.commands[-1].goes_on() and not self.commands[-1].shown:
                self.commands[-1].text += "\n" + text
            elif self.commands:
                self.commands[-1].shown.append(text)


def blocks_of(path):
    """The blocks of a document that have a prompt."""
    out, comments, lines, start, fence = [], [], None, 0, ""
    text = re.sub(r"<!--.*?-->", lambda m: m.group().replace("\n", "\v"), path.read_text(encoding="utf-8"), flags=re.S)
    number = 0
    for line in text.split("\n"):
        number += 1 + line.count("\v")
        m = re.match(r"\s*(```+)", line)
        if lines is not None and m and m[1] == fence:
            if any(PROMPT.match(text) for text in lines) or any(comment.startswith("file:") for comment in comments):
                out.append(Block(path.relative_to(ROOT), start, comments, lines))
            comments, lines = [], None
        elif lines is not None:
            lines.append(line[len(line) - len(line.lstrip()):] if line[:indent].strip() == "" and indent else line)
        elif m:
            lines, start, fence, indent = [], number, m[1], len(line) - len(line.lstrip())
        elif line.strip().startswith("<!--"):
            comments.append(" ".join(line.strip()[4:-3].split()))
        elif line.strip():
            comments = []
    return out


class Shell:
    """A shell that stays between commands, so that variables and background processes do."""

    def __init__(self, folder, home, bin_folder, host):
        folder.mkdir(exist_ok=True)
        home.mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("SOTTO", "XDG_"))}
        env.update(HOME=str(home), PATH=f"{bin_folder}:{env['PATH']}", NO_COLOR="1", OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8")
        self.output, self.host = home / "output", host
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(["bash"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)

    def run(self, text):
        """Exit status and output of a command."""
        where = []
        late = threading.Timer(LONGEST, lambda: (where.append(self.where()), self.end()))
        late.start()
        self.process.stdin.write(f"{{ {here(text, self.host)}\n}} > '{self.output}' 2>&1 < /dev/null; echo $?\n")
        self.process.stdin.flush()
        status = self.process.stdout.readline()
        late.cancel()
        if not status:
            said = self.output.read_text(encoding="utf-8", errors="replace") if self.output.exists() else ""
            raise Wrong(f"the shell ended, or ran for more than {LONGEST} seconds; it printed\n{said}\n{''.join(where)}")
        said = self.output.read_text(encoding="utf-8", errors="replace")
        return int(status), PROGRESS.sub("", said)

    def where(self):
        """What the shell's processes wait for: their stacks where gdb is installed, or the kernel's functions."""
        told = ["ps", "-o", "pid,stat,wchan:30,args", "--forest", "-s", str(self.process.pid)]
        out = subprocess.run(told, capture_output=True, text=True, check=False).stdout
        if shutil.which("gdb"):
            for pid in re.findall(r"^ *(\d+) .*sotto", out, re.M):
                out += subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt"], capture_output=True, text=True,
                                      check=False).stdout
        return out

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def here(text, host):
    """With an address of this story alone."""
    return re.sub(r"\b(?:127\.0\.0\.1|0\.0\.0\.0|[a-z]+\.example)(?=:\d)", host, text)


TWELVE = re.compile(r"(?<=in words     )(?:[a-z]+ ){11}[a-z]+|(?<=key \()(?:[a-z]+ ){11}[a-z]+|(?<=one is )(?:[a-z]+ ){11}[a-z]+")
WILD = [(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?",) * 2, (r"\d\d:\d\d:\d\d",) * 2, (r"~words~", r"(?:[a-z]+ ){11}[a-z]+"),
        (r"[0-9a-f]{32,}",) * 2, (r"127(?:\.\d+){3}:\d{5}", r"127[\d.]+:\d+")]
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?%?|-?\d+%")


def pattern_of(shown, vary, host):
    """A regular expression for the output, and the numbers that its groups may differ from."""
    parts, numbers = [], []
    lines = [TWELVE.sub("~words~", here(line, host)) for line in shown]
    words = [word for line in lines for word in line.split()]
    for at, word in enumerate(words):
        if word == "...":
            parts.append(r"(?:\S+\s+)*?")
            continue
        before, after = words[at - 1] if at else "", " ".join(words[at + 1:at + 3])
        if re.match(r"(s|MB|KB|ms|days|seconds?|a second)\b", after) and re.fullmatch(r"\(?[\d.]+", word) or vary and before == "least":
            parts.append(r"\(?[\d.]+[,;]?\s+")
            continue
        if vary and after.startswith("runs with"):  # a canary that objects looks again, with more runs
            parts.append(r"\d+\s+")
            continue
        out, end = "", 0
        for m in re.finditer("|".join(f"(?:{wild})" for wild, _ in WILD) + r"|\.\.\.|" + f"(?:{NUMBER.pattern})", word):
            out += re.escape(word[end:m.start()])
            out += pattern_of_piece(m.group(), vary, numbers)
            end = m.end()
        parts.append(out + re.escape(word[end:]) + r"\s+")
    return re.compile("".join(parts) + r"\Z"), numbers


def pattern_of_piece(text, vary, numbers):
    if text == "...":
        return r"\S*"
    for wild, fitting in WILD:
        if re.fullmatch(wild, text):
            return fitting
    if not vary:
        return re.escape(text)
    numbers.append(float(text.rstrip("%")))
    return r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)" + ("%" if text.endswith("%") else "")


def fits(command, vary, host):
    """Whether what was said is what is shown."""
    pattern, numbers = pattern_of(command.shown, vary, host)
    m = pattern.match(" ".join(command.said.split()) + " ")
    return bool(m) and all(abs(float(said) - shown) <= max(abs(shown) * vary, 0.05) for said, shown in zip(m.groups(), numbers))


def check(block, command, host):
    """Ends with Wrong unless the command did what the document shows."""
    wanted = re.search(r"# exit (\d+)$", command.text)
    fails = any(line.startswith("sotto: ") for line in command.shown) and "echo $?" not in command.text
    good = command.status == int(wanted[1]) if wanted else (command.status != 0) == fails
    if not good:
        raise Wrong(f"{block.path}:{command.line}: {command.text}\nended with {command.status}; it printed\n{command.said}")
    shown = [line for line in command.shown if line.strip()]
    if shown and not fits(command, block.vary, host):
        difference = difflib.unified_diff(shown, command.said.split("\n"), "shown", "printed", lineterm="", n=99)
        raise Wrong(f"{block.path}:{command.line}: {command.text}\nprints something else:\n" + "\n".join(difference))


class Story:
    """One document: its folder and its shells."""

    def __init__(self, folder, program, number):
        self.folder, self.shells = folder, {}
        pid = os.getpid()  # scripts of tests have addresses below 127.127
        self.host = f"127.{128 + pid // 250 % 100}.{pid % 250}.{1 + number % 250}"
        (folder / "bin").mkdir()
        (folder / "bin" / "sotto").symlink_to(program)
        (folder / "work").mkdir()

    def shell(self, who):
        if who not in self.shells:
            self.shells[who] = Shell(self.folder / "work" / who, self.folder / f"home-{who}", self.folder / "bin", self.host)
        return self.shells[who]

    def run(self, block, show):
        for text in block.first:
            status, said = self.shell("").run(text)
            if status != 0:
                raise Wrong(f"{block.path}:{block.line}: what comes first, {text}, ended with {status}: {said}")

        def of(commands):
            try:
                for command in commands:
                    command.status, command.said = self.shell(command.who).run(command.text)
            except (Wrong, OSError) as error:
                command.status, command.said = -1, f"({error})\n"
        names = dict.fromkeys(command.who for command in block.commands)
        queues = [[c for c in block.commands if c.who == who] for who in names] if block.together else [block.commands]
        for who in names:
            self.shell(who)
        threads = [threading.Thread(target=of, args=[queue]) for queue in queues]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for command in block.commands if show else []:
            print(f"{command.who}$ {command.text}\n{command.said}", end="", flush=True)

    def end(self):
        for shell in self.shells.values():
            shell.end()


def of_document(path, program, show, number):
    """What a document's blocks came to: numbers of blocks run, left to other tests, and not run; and faults."""
    run = other = left = 0
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        story = Story(pathlib.Path(folder), program, number)
        try:
            for block in blocks_of(path):
                if block.file:
                    (story.folder / "work" / block.file).write_text(block.text, encoding="utf-8")
                elif block.reason is None:
                    run += 1
                    story.run(block, show)
                    for command in block.commands:
                        try:
                            check(block, command, story.host)
                        except Wrong as error:
                            faults.append(str(error))
                elif not block.reason:
                    faults.append(f"{block.path}:{block.line}: is not run, and the comment does not say why")
                elif re.search(r"\btests/\S+\.sh\b", block.reason):
                    script = ROOT / re.search(r"\btests/\S+\.sh\b", block.reason)[0]
                    other += 1
                    if not script.is_file():
                        faults.append(f"{block.path}:{block.line}: {script} does not exist")
                else:
                    left += 1
        except Wrong as error:
            faults.append(str(error))
        finally:
            story.end()
    return run, other, left, faults


def faults_of_errors():
    """Every status of the library has its page."""
    text = (ROOT / "include/sotto/base.h").read_text(encoding="utf-8")
    text = text.partition("#define SOTTO_STATUS_LIST")[2].partition("\n\n")[0]
    for name, meaning in re.findall(r'^  X\(([A-Z_]+), "(.*)"\)', text, re.M):
        path = ROOT / "docs/errors" / f"{name.lower()}.md"
        if name != "OK" and (not path.is_file() or path.read_text(encoding="utf-8").split("\n")[0] != f"# {name}: {meaning}"):
            yield f"{path.relative_to(ROOT)} is not there, or does not begin with \"# {name}: {meaning}\""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    plain = os.environ.get("SOTTO_PLAIN", "")  # of a build with sanitizers: the same program without them, which is quick
    program = plain if os.access(plain, os.X_OK) else os.environ.get("SOTTO") or shutil.which("sotto")
    if not program:
        sys.exit("set SOTTO to the program")
    paths = [p.resolve() for p in options.documents] or [ROOT / "README.md"] + [
        pathlib.Path(p) for p in sorted(glob.glob(str(ROOT / "docs/**/*.md"), recursive=True))]
    counts, faults = [0, 0, 0], list(faults_of_errors())
    program = os.path.abspath(program)
    with concurrent.futures.ThreadPoolExecutor(1 if options.show else 2) as pool:
        stories = [pool.submit(of_document, path, program, options.show, number) for number, path in enumerate(paths)]
        for story in stories:
            *found, wrong = story.result()
            counts = [a + b for a, b in zip(counts, found)]
            faults += wrong
    print("\n\n".join(faults))
    print(f"{counts[0]} blocks were run, {counts[1]} are run by scripts of their own, and {counts[2]} are marked as not run; "
          f"{len(faults)} commands did something else")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
