#!/usr/bin/env python3
"""Runs every benchmark several times in turn, and writes the figures as JSON for bench/compare.py.

usage: bench/run.py [--build build] [--against BUILD] [--rounds N] [--out FILE] [--peers] [NAME...]

NAME: a part of a program's name (noise, mlp); without any, all. --against also runs another build's programs, each
directly after ours, and writes its figures to FILE's name with "-against": then both had the same machine.
--peers runs the comparisons with other libraries first; those that are not installed are left out, aloud.
"""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The program and its arguments; {graph} is a made graph of 10^7 entries with so many columns.
PROGRAMS = [
    ["machine"], ["noise"], ["accountant"], ["wire"], ["mlp"], ["dpsgd"], ["align"], ["secure_sum"], ["checked_sum"],
    ["ring"], ["release", "run", "{graph16}", "2"], ["release", "run", "{graph64}", "2"], ["start"],
]
# Figures whose bound another program of the same round measures.
BOUNDS = {"ring product": "64-bit multiply-adds", "two large products": "float multiply-adds"}
PEERS = [["accountant.py"], ["ring.py"], ["spmm.py"], ["gw.py"]]


def machine():
    cpu = {}
    for line in open("/proc/cpuinfo"):
        key, _, value = line.partition(":")
        cpu.setdefault(key.strip(), value.strip())
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) * 1024
    return {"processor": cpu.get("model name", platform.machine()), "vectors": vectors(cpu.get("flags", "").split()),
            "cores": os.cpu_count(), "memory_bytes": memory, "system": platform.platform()}


def vectors(flags):
    """What of a processor's instructions decides which kernels run."""
    names = (("avx512bw", "AVX-512"), ("avx512ifma", "IFMA"), ("vaes", "VAES")) if "avx512bw" in flags else (("avx2", "AVX2"), ("vaes", "VAES"))
    found = [name for flag, name in names if flag in flags]
    return " and ".join(found) or "no vectors of 32 bytes"


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0]
    except OSError:
        return None


def versions(build):
    return {"sotto": first_line([f"{build}/sotto", "--version"]),
            "commit": first_line(["git", "-C", HERE, "describe", "--always", "--dirty"]),
            "openblas": first_line(["pkg-config", "--modversion", "openblas"]), "python": platform.python_version()}


def start_up(build):
    """The program's own start, compared with that of a program that does nothing."""
    floor = wall_ms(["/bin/true"])
    for words in (["--help"], ["account", "gaussian", "--epsilon", "4", "--delta", "1e-6"]):
        yield {"name": f"start of sotto {words[0]}", "value": wall_ms([f"{build}/sotto", *words]), "unit": "ms",
               "bound": floor, "against": "/bin/true"}


def wall_ms(command, times=30):
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        os.waitpid(pid, 0)
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


def figures(program, build, graphs, show):
    """The figures of one run of a program."""
    if program[0] == "start":
        lines = list(start_up(build))
        for line in lines if show else []:
            print(f"{line['name']}: {line['value']:.1f} ms; {line['against']} {line['bound']:.1f} ms")
        return lines
    path = f"{build}/bench/bench_{program[0]}"
    if not os.path.exists(path):
        return []  # an older build has fewer
    with tempfile.NamedTemporaryFile("r") as record:
        done = subprocess.run([path] + [word.format(**graphs) for word in program[1:]], text=True, capture_output=True,
                              env={**os.environ, "SOTTO_BENCH_RECORD": record.name})
        if done.returncode != 0:
            sys.exit(f"bench/run.py: {path} failed: {done.stderr.strip()}")
        if show:
            print(done.stdout, end="", flush=True)
        return [json.loads(line) for line in record]


def take(results, lines):
    for line in lines:
        found = results.setdefault(line["name"], {"unit": line["unit"], "values": [], "bounds": []})
        found["values"].append(line["value"])
        if "bound" in line:
            found["bounds"].append(line["bound"])
            found["against"] = line["against"]


def join_bounds(results):
    for name, bound in BOUNDS.items():
        if name in results and bound in results:
            results[name].update(against=bound, bounds=list(results[bound]["values"]))


def write(path, results, build, session):
    join_bounds(results)
    document = {"session": session, "machine": machine(), "versions": versions(build), "results": results}
    with open(path + ".new", "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)
    print(f"figures in {path}")


def run_peers():
    for words in PEERS:
        print(f"== {words[0]}", flush=True)
        if subprocess.run(["/usr/bin/python3", f"{HERE}/{words[0]}"], stderr=subprocess.DEVNULL).returncode != 0:
            print("  left out: a package or data that it needs is not here")


def make_graphs(args, folder):
    graphs = {}
    for columns in (16, 64):
        graphs[f"graph{columns}"] = f"{folder}/{columns}.sotto"
        subprocess.run([f"{args.build}/bench/bench_release", "make", graphs[f"graph{columns}"], "200000", "5000000",
                        str(columns)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return graphs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{HERE}/../build")
    parser.add_argument("--against")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default="bench.json")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads would spin beside ours
    programs = [p for p in PROGRAMS if not args.names or any(name in p[0] for name in args.names)]
    if not programs:
        parser.error(f"no program is named so; there are {', '.join(p[0] for p in PROGRAMS)}")
    if args.peers:
        run_peers()
    ours, theirs = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        graphs = make_graphs(args, folder) if any(p[0] == "release" for p in programs) else {}
        for number in range(args.rounds):
            for program in programs:
                if number == 0:
                    print(f"== {program[0]}", flush=True)
                take(ours, figures(program, args.build, graphs, number == 0))
                if args.against:
                    take(theirs, figures(program, args.against, graphs, False))
    session = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    write(args.out, ours, args.build, session)
    if args.against:
        root, ending = os.path.splitext(args.out)
        write(f"{root}-against{ending}", theirs, args.against, session)


if __name__ == "__main__":
    main()
