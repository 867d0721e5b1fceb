#!/usr/bin/env python3
"""The way of a release: the calls from main to the ledger's charge, as gdb sees them in a build without optimisation.

  scripts/frames.py PROGRAM         a run of vesper on a small graph; prints the figures and the calls
  scripts/frames.py PROGRAM --most FRAMES FILES
                                    the exit status is 1 where there are more

Roles of one process are threads. Their calls count from where the engine starts them, without those that start any thread. Needs gdb; without it the exit status is 77.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

START = "sotto_i_roles_run"  # starts the thread of a role
CHARGE = "sotto_ledger_charge"
FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ in )?(\w+) \(.*\) at (\S+):\d+$")


def stack(text):
    """(function, file) of each frame in the sources, the innermost first."""
    out = []
    for line in text.splitlines():
        found = FRAME.match(line)
        if found and re.search(r"(^|/)(src|app)/(?!base/)", found.group(2)):
            out.append((found.group(1), re.sub(r"^.*?((src|app)/)", r"\1", found.group(2))))
    return out


def stacks(program, folder):
    """What gdb prints where the charge is made: the stack of its thread, and that of the first thread."""
    home = {name: value for name, value in os.environ.items() if name not in ("SOTTO_LEDGER", "SOTTO_LEDGER_KEY")}
    home.update({"HOME": folder, "XDG_DATA_HOME": folder, "ASAN_OPTIONS": "detect_leaks=0"})
    data = os.path.join(folder, "graph.sotto")
    subprocess.run([program, "data", "generate", "sbm", "--nodes", "120", "--out", data], check=True, env=home,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run = [program, "train", "--method", "vesper", "--data", data, "--epsilon", "4", "--seeds", "1", "--epochs", "1",
           "--encoder-epochs", "1", "--threads", "1", "--out", os.path.join(folder, "run")]
    steps = ["set pagination off", "set width 0", "set print frame-arguments none", "set breakpoint pending on",
             f"break {CHARGE}", "run", "echo \\n== charge\\n", "bt", "echo \\n== main\\n", "thread 1", "bt", "kill"]
    gdb = ["gdb", "-q", "-nx", "-batch"] + [word for step in steps for word in ("-ex", step)] + ["--args"] + run
    said = subprocess.run(gdb, check=False, env=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    _, _, rest = said.partition("== charge\n")
    charge, _, main = rest.partition("== main\n")
    return stack(charge), stack(main), said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--most", nargs=2, type=int, metavar=("FRAMES", "FILES"))
    options = parser.parse_args()
    if shutil.which("gdb") is None:
        print("there is no gdb")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        charge, first, said = stacks(os.path.abspath(options.program), folder)
    if not charge or charge[0][0] != CHARGE:
        print(f"gdb did not come to {CHARGE}:\n{said}")
        return 77 if "ptrace" in said else 1
    way = charge
    if charge[-1][0] != "main":
        at = [i for i, (name, _) in enumerate(first) if name == START]
        way = charge + (first[at[0]:] if at else first)
    files = sorted({file for _, file in way})
    print(f"frames to the charge {len(way)}, in {len(files)} files")
    for name, file in reversed(way):
        print(f"  {name} ({file})")
    return 1 if options.most and (len(way) > options.most[0] or len(files) > options.most[1]) else 0


if __name__ == "__main__":
    sys.exit(main())
