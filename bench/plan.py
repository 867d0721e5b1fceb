#!/usr/bin/env python3
"""Compares `sotto plan` with real runs, and draws weak and strong scaling.

usage: bench/plan.py [--sotto build/sotto] [--out docs/results] [--threads N] [--plots] [--mpi build-mpi/sotto]

Four methods on three made graphs: 12 runs, each predicted directly before it is trained, from constants that are
measured at that moment. With one thread the measured time is the processor's, which other programs on the machine
disturb less than the clock on the wall; plan.csv has both. Writes plan.csv, and plan-strong.svg and plan-weak.svg from the constants of the last
measurement. --plots draws these alone. --mpi compares gap over 1, 2 and 4 ranks of mpirun
instead: traffic and memory of a rank, on two made graphs. Writes plan-ranks.csv.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHS = {
    "20,000 nodes, 160,000 edges, 32 columns": ["sbm", "--nodes", "20000", "--features", "32"],
    "100,000 nodes, 10^6 edges, 64 columns": ["powerlaw", "--nodes", "100000", "--edges", "1000000"],
    "50,000 nodes, 400,000 edges, 256 columns": ["powerlaw", "--nodes", "50000", "--edges", "400000", "--features",
                                                 "256"],
}
RUNS = {
    "gnn (gcn)": ["--method", "gnn", "--aggregator", "gcn", "--epochs", "20"],
    "sage": ["--method", "sage", "--epochs", "20"],
    "mlp": ["--method", "mlp", "--not-private", "--encoder-epochs", "40"],
    "gap": ["--method", "gap", "--epsilon", "4", "--layers", "2", "--encoder-epochs", "40", "--epochs", "40"],
}
RANK_GRAPHS = {
    "200,000 nodes, 1.6 * 10^6 edges, 2 layers": (["sbm", "--nodes", "200000", "--features", "32"], "2"),
    "10^6 nodes, 10^7 edges with hubs, 1 layer": (["powerlaw", "--nodes", "1000000", "--edges", "10000000", "--features",
                                                   "32"], "1"),
}
SCALING = ["--method", "gnn", "--aggregator", "gcn", "--hidden", "64", "--epochs", "200", "--ranks", "512",
           "--bandwidth", "12.5"]
SHAPES = {"strong": ["--nodes", "1e8", "--edges", "1e10"], "weak": ["--nodes", "195312", "--edges", "19531250"]}


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench/plan.py: {' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout


def processor_seconds(command, out):
    """What the system counts for a command, whose standard output goes to a file."""
    with open(out, "w") as file:
        child = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        _, state, used = os.wait4(child.pid, 0)
    if state != 0:
        raise SystemExit(f"bench/plan.py: {' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


def compare(sotto, threads, folder):
    """Rows of (method, graph, predicted and measured seconds and megabytes)."""
    for number, (graph, words) in enumerate(GRAPHS.items()):
        data = f"{folder}/{number}.sotto"
        output([sotto, "data", "generate", *words, "--out", data])
        for name, options in RUNS.items():
            options = [*options, "--data", data, "--hidden", "64", "--threads", str(threads), "--patience", "0"]
            point = json.loads(output([sotto, "plan", *options, "--json"]))["plan"]["points"][0]
            used = processor_seconds([sotto, "train", *options, "--out", f"{folder}/{number}-{name}", "--json"],
                                     f"{folder}/result.json")
            with open(f"{folder}/result.json") as file:
                result = json.load(file)
            yield {"method": name, "graph": graph, "threads": threads, "predicted_s": round(point["seconds"], 3),
                   "measured_s": round(used, 3), "wall_s": round(result["seconds"], 3), "predicted_mb": round(point["memory_bytes"] / 1e6),
                   "measured_mb": round(result["peak_rss_mb"])}


def largest(ranks, key):
    return max(rank[key] for rank in ranks)


def compare_ranks(mpi, folder):
    """Rows of (graph, ranks, predicted and measured bytes and rows of the largest rank)."""
    for number, (graph, (words, layers)) in enumerate(RANK_GRAPHS.items()):
        data = f"{folder}/ranks-{number}.sotto"
        output([mpi, "data", "generate", *words, "--out", data])
        options = ["--method", "gap", "--epsilon", "4", "--layers", layers, "--data", data, "--hidden", "64", "--threads", "1",
                   "--patience", "0", "--encoder-epochs", "2", "--epochs", "2"]
        points = json.loads(output([mpi, "plan", *options, "--ranks", "4", "--json"]))["plan"]["points"]
        for point in points:
            out = f"{folder}/ranks-{number}-{point['ranks']}"
            output(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(point["ranks"]), mpi, "train", *options, "--out", out])
            with open(f"{out}/owner-only/ranks.json") as file:
                ranks = json.load(file)
            passed = point["border_rows"] * 64 * 4 * int(layers)
            yield {"graph": graph, "ranks": point["ranks"], "predicted_border_rows": round(point["border_rows"]),
                   "measured_border_rows": largest(ranks, "halo"), "predicted_border_mb": round(passed / 1e6, 1),
                   "measured_border_mb": round(largest(ranks, "halo_sent") / 1e6, 1),
                   "predicted_sent_mb": round(point["sent_bytes"] / 1e6, 1),
                   "measured_sent_mb": round(largest(ranks, "sent") / 1e6, 1),
                   "predicted_mb": round(point["memory_bytes"] / 1e6), "measured_mb": round(largest(ranks, "memory") / 1e6)}


def show_ranks(rows):
    for row in rows:
        said = [f"{row['graph']}, {row['ranks']} rank{'s' if row['ranks'] > 1 else ''}:"]
        for what, unit in (("border_rows", "rows"), ("border_mb", "MB of them"), ("sent_mb", "MB sent"), ("mb", "MB held")):
            predicted, measured = row[f"predicted_{what}"], row[f"measured_{what}"]
            error = f" ({predicted / measured - 1:+.1%})" if measured else ""
            said.append(f"  {predicted} {unit}, measured {measured}{error}")
        print("\n".join(said))


def write(path, rows):
    with open(path + ".new", "w", newline="") as file:
        out = csv.DictWriter(file, rows[0], lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    os.replace(path + ".new", path)


def draw(sotto, folder, out):
    with open(f"{folder}/machine.json", "w") as file:
        file.write(output([sotto, "plan", "--measure", "--threads", "1"]))
    for scaling, shape in SHAPES.items():
        output([sotto, "plan", *SCALING, *shape, "--scaling", scaling, "--machine", f"{folder}/machine.json", "--plot",
                f"{out}/plan-{scaling}.svg"])
        print(output([sotto, "plan", *SCALING, *shape, "--scaling", scaling, "--machine", f"{folder}/machine.json"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sotto", default=f"{HERE}/../build/sotto")
    parser.add_argument("--out", default=f"{HERE}/../docs/results")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--plots", action="store_true")
    parser.add_argument("--mpi")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, SOTTO_LEDGER=f"{folder}/ledger.db", SOTTO_LEDGER_KEY=f"{folder}/owner.key",
                          OPENBLAS_NUM_THREADS="1")
        output([args.mpi or args.sotto, "ledger", "init"])
        if args.mpi:
            rows = list(compare_ranks(os.path.abspath(args.mpi), folder))
            show_ranks(rows)
            write(f"{args.out}/plan-ranks.csv", rows)
            return
        rows = [] if args.plots else list(compare(args.sotto, args.threads, folder))
        for row in rows:
            print(f"{row['method']:10} {row['graph']:42} {row['predicted_s']:8.2f} s of {row['measured_s']:8.2f} s (wall {row['wall_s']:.2f}) "
                  f"{row['predicted_mb']:6} MB of {row['measured_mb']:6} MB")
        if rows:
            write(f"{args.out}/plan.csv", rows)
            for what, unit in (("time", "s"), ("memory", "mb")):
                errors = [abs(r[f"predicted_{unit}"] / r[f"measured_{unit}"] - 1) for r in rows]
                print(f"{what}: median error {statistics.median(errors):.1%}, largest {max(errors):.1%}")
        draw(args.sotto, folder, args.out)


if __name__ == "__main__":
    main()
