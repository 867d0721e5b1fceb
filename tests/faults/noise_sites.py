#!/usr/bin/env python3
"""Plants a fault at each call of a noise function of the library, and asks the audits for it.

Calls are found in src by a search for the functions of sites.h; a check says whether that header has every function of the
noise and graph mechanisms that takes a key. For each call and each fault, `sotto audit --self` of a method that makes the
call, and `sotto audit RUN` of a run of it, have to say FAILED. Without a fault they have to say nothing.

All audits are asked for a confidence of 1 - 1e-10, so that a sound program is objected to with a probability of at most
1e-10 each time: of a search with fewer than 10,000 audits, at most 1e-6.

  noise_sites.py PROGRAM          all calls and faults; prints the table of docs/audit.md; exit status 1 when one is missed
  noise_sites.py PROGRAM --brief  each call with one fault by either door, as the table of docs/audit.md has it: that the
                                  table has each call, and that an audit still sees it; calls above by one door
  noise_sites.py --list           the calls, and the functions
  noise_sites.py PROGRAM --only TEXT   calls whose names have this text
  noise_sites.py PROGRAM --part 1/2    every second call
"""
import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import callers

ROOT = Path(__file__).resolve().parents[2]
FAULTS = ["none", "half", "row", "rest", "again"]
# Calls for a single number, of which no row is left for `rest`.
ONE_NUMBER = {"src/run/train/published.c": ["none", "half", "again"]}
# Functions with a key that add no noise to a number: what they draw is accounted where it is added up, or is a sample.
NO_NOISE = {
    "sotto_i_check_secret": "a check of the key",
    "sotto_sampling_draw": "a secret sample; its sum has noise of its own",
    "sotto_sampled_gaussian_sum": "called by the audit of mechanisms alone",
    "sotto_i_grid_add_row": "called inside dp alone",
    "sotto_degree_histogram": "sotto data histogram: one figure that is no part of a run",
}
# Functions that make whole releases with the functions above: their calls inside are the sites.
RELEASES = re.compile(r"sotto_(i_)?(release|contractive|publish)\w*")
# Runs that reach calls which `audit --self` does not: options of training on data.sotto.
RUNS = {
    "best edge": "--method best --epsilon 4 --layers 2",
    "best node": "--method best --adjacency node --max-degree 60 --epsilon 8 --delta 1e-4",
    "best nights": "--method best --epsilon 1 --layers 1 --epochs 4",
    "lpgnet": "--method lpgnet --epsilon 4 --hidden 8 --epochs 4 --encoder-epochs 4",
    "gap": "--method gap --epsilon 4 --hidden 8 --epochs 4 --encoder-epochs 4",
    "caribou": "--method caribou --epsilon 4 --hidden 8 --epochs 4 --encoder-epochs 4",
    "vesper": "--method vesper --epsilon 4 --epochs 4",
    "vesper layers": "--method vesper --publication layers --epsilon 4 --epochs 4 --hidden 8",
    "vesper last": "--method vesper --publication vfgnn --max-degree 60 --epsilon 4 --epochs 4 --hidden 8",
    "vesper published": "--method vesper --as-published --epsilon 4 --hidden 8 --epochs 1",
    "vesper labels": "--method vesper --epsilon 4 --epochs 4 --label-epsilon 2",
    "vfgnn counts": "--method vfgnn --epsilon 4 --epochs 2 --holders 2",
    "vfgnn rows": "--method vfgnn --publication rows --epsilon 4 --epochs 2 --holders 2",
    "pertgraph": "--method pertgraph --epsilon 4 --epochs 4 --hidden 8",
    "lapgraph": "--method pertgraph --publication lapgraph --epsilon 4 --epochs 4 --hidden 8",
    "fedavg": "--method fedavg --adjacency edge --epsilon 4 --rounds 2 --clients 3",
    "fedavg linked": "--method fedavg --adjacency edge --epsilon 4 --rounds 2 --clients 3 --partition linked:alike",
    "fedavg node": "--method fedavg --adjacency node --epsilon 8 --rounds 2 --clients 3 --delta 1e-4 --secure-aggregation",
    "fedavg local": "--method fedavg --adjacency node --noise local --epsilon 8 --rounds 2 --clients 3 --delta 1e-4",
    "fedavg central": "--method fedavg --adjacency node --noise central --epsilon 8 --rounds 2 --clients 3 --delta 1e-4",
    "feddep": "--method feddep --prototype-noise 4 --prototypes classes --rounds 2 --clients 3 --embed-epochs 2 --generator-epochs 2 --max-degree 60",
    "feddep clusters": "--method feddep --prototype-noise 4 --rounds 2 --clients 3 --embed-epochs 2 --generator-epochs 2 --max-degree 60",
    "mlp node": "--method mlp --adjacency node --epsilon 8 --delta 1e-4 --epochs 4 --hidden 8 --publish-accuracy 1",
    "gwldp code": "--method gwldp --publication code --epsilon 4 --clients 2 --data shapes --classes 2",
    "gwldp multibit": "--method gwldp --publication multibit --epsilon 4 --clients 2 --rounds 2 --data shapes --classes 2",
}
# What a run is asked for after its training.
AFTER = {"best nights": [f"predict run data.sotto --nightly{plan}" for plan in (" --epsilon 8 --nights 3", "")]}
# Calls that no audit of a run reaches, and why: the beginning of their files' names, and functions that they are in.
EXACT = "counts of a run without noise, which are exposed by name"
OTHER = "the release of other data by `sotto predict`: its noise is drawn by the call of the training, which is audited, and cli.other_noise sees it"
APART = {
    "src/protocols/counts.c sotto_i_counts_exact": EXACT,
    "src/methods/federated/counts_training.c sotto_i_fed_counts_of_other": EXACT,
    "src/methods/vesper/vesper_counts_others.c send_counts": EXACT,
    "src/methods/vfgnn/vfgnn_counts.c sotto_i_vfgnn_counts_publish": EXACT,
    "src/methods/vesper/vesper_counts_others.c sotto_i_vesper_counts_other_data": OTHER,
    "src/methods/federated/protocol/federated_predict.c read_counts": OTHER,
    "src/methods/federated/protocol/federated_predict.c sotto_i_fed_open": OTHER,
}
# Calls of accountings as published, which `audit --self` leaves out: `audit RUN` alone has to see these.
BY_RUN = ("src/methods/vesper/as_published/",)
# Runs that reach one call by two ways, each of which is tried.
BOTH = ("feddep", "feddep clusters")


def declared():
    """Functions of noise and of graph mechanisms that take a key."""
    headers = [ROOT / "include/sotto/dp.h", ROOT / "include/sotto/pmp.h", *(ROOT / "src/dp/noise").glob("*.h")]
    found = set()
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for name, arguments in re.findall(r"\b(sotto_\w+)\(([^;{}]*?)\)\s*;", text):
            if "const sotto_key *" in arguments:
                found.add(name)
    return found


def write_shapes(folder):
    """A collection of 48 graphs, rings and stars of 8 nodes."""
    edges, node = [], 0
    for graph in range(48):
        for v in range(8):
            ends = (node + v, node + (v + 1) % 8) if graph % 2 == 0 else (node, node + v)
            if ends[0] != ends[1]:
                edges += [ends, ends[::-1]]
        node += 8
    shapes = Path(folder, "shapes")
    shapes.mkdir()
    for name, lines in (("A", [f"{u + 1}, {v + 1}" for u, v in edges]), ("graph_indicator", [v // 8 + 1 for v in range(node)]),
                        ("graph_labels", [g % 2 for g in range(48)]), ("node_labels", [v % 2 for v in range(node)])):
        (shapes / f"shapes_{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def train(program, run, **environment):
    words = RUNS[run].split()
    data = [] if "--data" in words else ["--data", "data.sotto"]
    done = program("train", *words, *data, "--out", "run", **environment)
    for command in AFTER.get(run, []):
        if done[0] == 0:
            done = program(*command.split(), **environment)
    return done


def function_around(site):
    """The function of src that the call is in: lines move, names stay."""
    path, number = site.rsplit(":", 1)
    for line in reversed((ROOT / path).read_text().splitlines()[:int(number)]):
        found = re.match(r"[a-z][\w *]*?\b(\w+)\((?!.*;)", line)
        if found:
            return found.group(1)
    return "?"


def sites():
    """Calls of these functions: file:line, function."""
    names = "|".join(callers.noise_functions())
    found = []
    for path in sorted((ROOT / "src").rglob("*.c")):
        name = str(path.relative_to(ROOT))
        if re.match(r"src/(dp|audit)/", name):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for call in re.findall(rf"\b({names})\(", line):
                if not re.match(r"(sotto_status|void) ", line):
                    found.append((f"{name}:{number}", call))
    return found


def calls_above():
    """Calls of functions of src that draw noise inside: file:line, function. Each can be made without noise."""
    return sorted({(f"{path}:{line}", inner.name) for path, _, line, inner in callers.callers(callers.noise_functions())[1]})


def lines_of(site):
    """file, first and last line of the call: of one over several lines some compilers name the last."""
    path, first = site.rsplit(":", 1)
    lines = (ROOT / path).read_text().splitlines(keepends=True)
    text, depth = "".join(lines[int(first) - 1:]), 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == ")" and depth <= 0:
            break
    return path, int(first), int(first) + text.count("\n", 0, place)


def as_compiled(site, reached):
    """The site as the program names it."""
    path, first, last = lines_of(site)
    return next((name for name in (f"{path}:{line}" for line in range(first, last + 1)) if name in reached), site)


def planted(site, fault):
    path, first, last = lines_of(site)
    return {"SOTTO_SITE": f"{path}:{first}-{last}", "SOTTO_FAULT": fault}


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = os.path.abspath(path), folder
        self.base = {**os.environ, "HOME": folder, "TMPDIR": folder, "OPENBLAS_NUM_THREADS": "1"}
        for name in ("SOTTO_SITE", "SOTTO_FAULT", "SOTTO_SITES"):
            self.base.pop(name, None)

    def __call__(self, *words, **environment):
        """Exit status, output, seconds of processor time: a machine may be shared."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.path, *words], cwd=self.folder, env={**self.base, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return done.returncode, done.stdout, seconds

    def reached(self, *words):
        log = Path(self.folder, "reached")
        log.unlink(missing_ok=True)
        code, text, seconds = self(*words, SOTTO_SITES=str(log))
        return code, text, seconds, set(log.read_text().split()) if log.exists() else set()


def methods(program):
    code, text, _ = program("methods", "--json")
    return re.findall(r'"name": *"([a-z+]+)"', text)


SURE = ["--confidence", "0.9999999999"]
ALL = "canary,release"


def until_seen(audit, *words, **environment):
    """A few draws may hide a fault: up to four audits, each with twice the trials."""
    for trials in (1000, 2000, 4000, 8000):
        found, seconds = audit(*words, trials, **environment)
        if found:
            break
    return found, seconds


def audit_run(program, run, attack, trials, **environment):
    """Trains a run and audits it, by the same program: what failed, seconds of the audit."""
    subprocess.run(["rm", "-rf", str(Path(program.folder, "run"))], check=True)
    code, text, _ = train(program, run, **environment)
    if code != 0:
        return "", 0
    asked = [] if attack == ALL else ["--attack", attack]
    code, text, seconds = program("audit", "run", *asked, "--trials", str(2 * trials), *SURE, "--json", **environment)
    answers = [line for line in text.splitlines() if line.startswith("{")]
    found = json.loads(answers[-1]).get("findings", []) if answers else []
    # A release that could not be compared is no sign of a fault.
    failed = {f["attack"] for f in found if not f["holds"] and not (f.get("noise_holds") and f.get("edges_hold"))}
    return ", ".join(sorted(failed)) if code == 1 else "", seconds


def self_words(method, attack, trials):
    return ["audit", "--self", "--attack", attack, "--method", method, "--trials", str(trials), *SURE]


def audit_self(program, method, attack, trials, **environment):
    code, text, seconds = program(*self_words(method, attack, trials), **environment)
    failed = sorted(set(re.findall(r"(release|canary) .*FAILED", text)))
    return ", ".join(failed) if code == 1 else "", seconds


def told(reached, above):
    return "MISSED" if reached or not above else "not reached"


def draws_under(program, site, audit):
    """Does a call above, while it runs, draw noise there? One that many methods make draws in some of them."""
    log = Path(program.folder, "reached")
    log.unlink(missing_ok=True)
    audit(SOTTO_SITES=str(log), **planted(site, "muted"))
    return log.exists() and "muted:0" in log.read_text().split()


def name_of(site, function):
    return f"`{function_around(site)}` ({site[4:].split(':')[0]})", f"`{function}`"


def why_apart(site):
    """Why no audit of a run reaches the call; None: one does."""
    place = f"{site.rsplit(':', 1)[0]} {function_around(site)}"
    return next((why for where, why in APART.items() if place.startswith(where)), None)


class Reached:
    """Which runs and which methods' own audits make a call, by a program without a fault."""

    def __init__(self, program):
        self.by_self, self.by_run, self.by_audit, self.wrong = {}, {}, {}, []
        for method in methods(program):
            code, text, seconds, reached = program.reached(*self_words(method, ALL, 1000))
            if code == 1 and "FAILED" in text:
                self.wrong.append(f"{method}: an objection without a fault")
            for site in reached:
                self.by_self.setdefault(site, []).append((seconds, method))
        for run in RUNS:
            subprocess.run(["rm", "-rf", str(Path(program.folder, "run"))], check=True)
            log = Path(program.folder, "reached")
            log.unlink(missing_ok=True)
            code, text, _ = train(program, run, SOTTO_SITES=str(log))
            if code != 0:
                self.wrong.append(f"{run}: {text.strip().splitlines()[-1]}")
            for site in set(log.read_text().split()) if log.exists() else ():
                self.by_run.setdefault(site, []).append(run)
            code, text, _, reached = program.reached("audit", "run", "--trials", "1000", *SURE)
            if code not in (0, 1) or "FAILED" in text:
                self.wrong.append(f"{run}: an objection without a fault: {text.strip().splitlines()[-1]}")
            for site in reached:
                self.by_audit.setdefault(site, []).append(run)

    def runs(self, site, program=None):
        """Those whose training makes the call, else those whose audit does. With a program: the first that draws under it."""
        by = next((d for d in (self.by_run, self.by_audit) if as_compiled(site, d) in d), {})
        runs = by.get(as_compiled(site, by), [None])
        if program is None:
            return [r for r in runs if r in BOTH] or runs[:1]
        return [next((r for r in runs if r and draws_under(program, site, lambda **e: audit_run(program, r, ALL, 100, **e))), None)]

    def method(self, site, program=None):
        methods = [m for _, m in sorted(self.by_self.get(as_compiled(site, self.by_self), []))]
        draws = lambda m: program is None or draws_under(program, site, lambda **e: audit_self(program, m, ALL, 100, **e))
        return next((m for m in methods if draws(m)), None)


def search(program, calls):
    """All faults at all calls by both doors: the table's rows, whether all were seen, the longest audit."""
    reached = Reached(program)
    seen, rows, longest = not reached.wrong, [], 0.0
    for site, function, faults in calls:
        name = " | ".join(name_of(site, function))
        apart = why_apart(site)
        if apart:
            rows.append(f"| {name} | | not audited: {apart} | | | |")
            continue
        muted = program if faults == ["muted"] else None
        method = reached.method(site, muted)
        for fault in faults:
            b, t = until_seen(audit_self, program, method, ALL, **planted(site, fault)) if method else ("", 0)
            for run in reached.runs(site, muted):
                a, s = until_seen(audit_run, program, run, ALL, **planted(site, fault)) if run else ("", 0)
                # A call above may be reached by one of the two alone; who reaches it has to see it.
                above = (muted or site.startswith(BY_RUN)) and (run or method)
                seen = seen and not (run and not a or method and not b if above else a == "" or b == "")
                longest = max(longest, s, t)
                rows.append(f"| {name} | {fault} | {run or '-'}: {a or told(run, above)} | {s:.1f} | {method or '-'}: "
                            f"{b or told(method, above)} | {t:.1f} |")
                print(rows[-1], file=sys.stderr, flush=True)
    print("\n".join(reached.wrong), file=sys.stderr)
    return rows, seen, longest


def documented():
    """Rows of docs/audit.md by call: fault, (run, attacks) or None, (method, attacks) or None; no rows: not audited."""
    text = (ROOT / "docs/audit.md").read_text()
    found = {}
    for row in re.search(r"<!-- noise sites -->(.*?)<!-- end", text, re.S).group(1).splitlines()[3:]:
        call, of, fault, run, _, own, _ = (cell.strip() for cell in row.split("|")[1:-1])
        rows = found.setdefault((call, of), [])
        if fault:
            rows.append((fault, *(None if door.startswith("-") else tuple(door.split(": ")) for door in (run, own))))
    return found


def look_again(program, calls, chance):
    """One fault at each call by either door, by the attack that saw it: what was missed. Of a call above, whose inner call is
    looked at by both, the audit of a run stands for both where it reaches the call: it trains one variant, not all."""
    table, missed = documented(), []
    for site, function, faults in calls:
        rows = table.get(name_of(site, function))
        if rows is None:
            missed.append(f"docs/audit.md does not have {site} {function}: put in the table that noise_sites.py prints")
        elif (why_apart(site) is not None) != (rows == []):
            missed.append(f"docs/audit.md and noise_sites.py do not agree whether {site} is audited")
        for door, audit in enumerate((audit_run, audit_self), 1):
            choices = [(row[0], *row[door]) for row in rows or [] if row[door] is not None]
            if not choices or (door == 2 and faults == ["muted"] and any(row[1] is not None for row in rows)):
                continue
            fault, subject, attacks = chance.choice(choices)
            first = attacks.split(", ")[0]
            found, seconds = audit(program, subject, first, 1000, **planted(site, fault))
            if not found:
                found, seconds = until_seen(audit, program, subject, ALL, **planted(site, fault))
            print(f"{site} {function} {fault}: {audit.__name__} {subject}: {found or 'MISSED'} {seconds:.1f} s", flush=True)
            if not found:
                missed.append(f"{site} {function} {fault}: not seen by {audit.__name__} of {subject}")
    return missed


def kept_night(program):
    """A night that was made without noise is seen by an audit without a fault: what is wrong, or nothing."""
    site = next(s for s, _ in sites() if "night_counts" in s)
    subprocess.run(["rm", "-rf", str(Path(program.folder, "run"))], check=True)
    done = program("train", *RUNS["best nights"].split(), "--data", "data.sotto", "--out", "run")
    done = max(done, program(*AFTER["best nights"][0].split(), **planted(site, "none")))
    code, text, _ = program("audit", "run", "--attack", "release", *SURE)
    seen = done[0] == 0 and code == 1 and re.search(r"nights\n.*compared.*\n.*FAILED", text)
    return [] if seen else [f"a night that was made without noise is not seen: {text}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), help="of --brief: which faults")
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1", help="I/N: every N-th call, from the I-th")
    ask = parser.parse_args()
    unknown = {n for n in declared() - set(callers.noise_functions()) - set(NO_NOISE) if not RELEASES.fullmatch(n)}
    if unknown:
        sys.exit(f"no macro in tests/faults/sites.h for {', '.join(sorted(unknown))}")
    calls = [(*c, ONE_NUMBER.get(c[0].rsplit(":", 1)[0], FAULTS)) for c in sites() if ask.only in c[0]] + [(*c, ["muted"]) for c in calls_above() if ask.only in c[0]]
    part, parts = map(int, ask.part.split("/"))
    calls = calls[part - 1::parts]
    if ask.list or not ask.program:
        for site, function, faults in calls:
            print(site, function, *faults)
        return
    with tempfile.TemporaryDirectory(prefix="sotto-sites-") as folder:
        program = Program(ask.program, folder)
        write_shapes(folder)
        program("data", "generate", "sbm", "--nodes", "400", "--classes", "3", "--features", "8", "--seed", "3", "--out",
                "data.sotto")
        if ask.brief:
            print(f"--seed {ask.seed}", flush=True)
            missed = look_again(program, calls, random.Random(ask.seed)) + kept_night(program)
            sys.exit("\n".join(missed) if missed else 0)
        rows, seen, longest = search(program, calls)
        print("| call in | of | fault | `audit RUN` FAILED by | processor seconds | `audit --self` FAILED by | processor seconds |")
        print("|---|---|---|---|---|---|---|")
        print("\n".join(rows))
        print(f"longest audit: {longest:.1f} s", file=sys.stderr)
        sys.exit(0 if seen else 1)


if __name__ == "__main__":
    main()
