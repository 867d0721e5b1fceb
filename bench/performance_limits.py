"""What stands between a kernel and its goal, measured: for bench/performance.py, one sentence a row that does not reach it.

Each is a small experiment that leaves a part out (rows in the order of memory, a kernel on data in cache, one library alone), or the
share of functions in the time of the row's own program, by perf where it is installed.
"""
import os
import re
import subprocess
import tempfile

import performance_peers
import performance_runs
import run


def hot(command, most=5):
    """The functions that take most of a command's time, by perf; None where it is not installed or not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["perf", "record", "-q", "-o", f"{folder}/perf", "--", *command], check=True, **performance_runs.QUIET)
            said = subprocess.run(["perf", "report", "-q", "-i", f"{folder}/perf", "--no-children", "--stdio", "-g", "none", "--sort",
                                   "symbol"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
    found = re.findall(r"^ +([0-9.]+)% +\[(.)\] +(\S+)", said, re.M)
    kernel = sum(float(share) for share, where, _ in found if where == "k")
    words = [f"{float(share):.0f} % {name}" for share, where, name in found if where != "k" and float(share) >= 3][:most]
    if kernel >= 3:
        words.append(f"{kernel:.0f} % the system's kernel")
    return ", ".join(words)


class Limits:
    """`figures`: name to best value; `args`, `folder`: those of the measurement, whose files are still there."""

    def __init__(self, figures, args, folder):
        self.figures, self.args, self.folder = figures, args, folder
        self.sotto = f"{args.build}/sotto"

    def by_perf(self, words, *command):
        said = hot(list(command))
        return words + (f"; of its time by perf: {said}" if said else "; perf is not here for the shares of its functions")

    def bench(self, name, *words):
        return [f"{self.args.build}/bench/bench_{name}", *words]

    def train(self, *words):
        return [self.sotto, "train", *words, "--threads", "1", "--out", f"{self.folder}/perf-{len(os.listdir(self.folder))}"]

    def say(self, row):
        """The sentence for a row, or None."""
        name = row["kernel"]
        if name.startswith("sparse product"):
            return self.sparse(row)
        for start, work in self.OF.items():
            if name.startswith(start):
                return work(self, row)
        return None

    def sparse(self, row):
        ordered = self.figures.get(f"in order: {row['kernel']}")
        if ordered is None:
            return None
        share, taken = max(0, 100 * (1 - ordered / row["value"])), f"{ordered:,.0f}" if ordered >= 100 else f"{ordered:.3g}"
        return (f"rows at random places in {share:.0f} % of its time: on the same degrees with rows in the order of memory it takes "
                f"{taken} ms, {100 * row['bound'] / ordered:.0f} % of the bound" + self.lines())

    def lines(self):
        """What memory gives for whole lines at random places."""
        small, large, most = (self.figures.get(name) for name in ("random lines, small pages", "random lines, large pages", "read of memory"))
        if small is None or large is None or most is None:
            return ""
        return (f"; lines of 64 bytes at random places of 256 MB come at {large:.3g} GB/s from large pages and {small:.3g} from small ones, "
                f"against {most:.3g} GB/s in order")

    def release(self, row):
        noise = self.figures.get("noise of a release" + row["kernel"].removeprefix("release"))
        return f"the noise of its layers alone takes {noise:.3g} s beside the product" if noise else None

    def dense(self, row):
        square, most = self.figures.get("dense product, 1,024 cubed"), self.figures.get("float multiply-adds")
        words = f"OpenBLAS: with 1,024 cubed, where packing is small, it reaches {square:.3g} G/s ({100 * square / most:.0f} % of the bound)"
        return self.by_perf(words, *self.bench("mlp"))

    def noise(self, row):
        return f"the key stream alone allows {row['bound'] / 1e6:.0f} million draws/s"

    def dpsgd(self, row):
        return self.by_perf("norms of each row's gradient (tile_*) and products in double precision, against products in floats of plain "
                            "training, in bench_dpsgd", *self.bench("dpsgd"))

    def secure_sum(self, row):
        rate, theirs = self.figures.get("AES-256 masks"), self.figures.get("AES-256 of OpenSSL")
        return (f"the masks alone take {row['bound']:.3g} s; they are a key stream of 5.6 GB, of which a core makes {rate:.3g} GB/s "
                f"(by OpenSSL {theirs:.3g} GB/s)")

    def ring(self, row):
        tile, most = self.figures.get("ring kernel in cache"), self.figures.get("64-bit multiply-adds")
        return (f"on data in the first cache the kernel makes {tile:.3g} G/s, {100 * tile / most:.0f} % of the bound: its multiplications "
                f"and loads; memory and packing take the rest, {100 * (1 - row['value'] / tile):.0f} % of its time; docs/bench.md has what "
                "else was tried")

    # What an id takes by the formulas of src/party/psi/group_body.h: two multiples of a point, two maps, a decoding and two
    # encodings. With IFMA, 52-bit multiply-adds; with AVX2, products of limbs, 25 for each of 2,730 multiplications in the field and
    # 15 for each of 2,857 squares.
    MULTIPLICATIONS = {"52-bit multiply-adds": 2 * 109_335 + 22_600 + 10_800 + 2 * 2_360, "51-bit products": 25 * 2_730 + 15 * 2_857}

    def alignment(self, row):
        theirs = self.figures.get("libsodium's scalar multiplications for an id")
        words = "".join(f", and {1e9 * self.figures[name] / count:,.0f} by its {count:,} {name} at the machine's rate"
                        for name, count in self.MULTIPLICATIONS.items() if self.figures.get(name))
        return (f"an id costs a map to the group and two scalar multiplications: they alone allow {row['bound']:,.0f} ids/s by our kernel "
                f"and {theirs:,.0f} by libsodium's{words}")

    def csv(self, row):
        """The same number of edges, once with few ids and once sorted; and the parts that a reader cannot leave out."""
        rates = []
        for nodes, ordered in ((1000, False), (1000000, True)):
            path = f"{self.folder}/limit.csv"
            size = performance_runs.csv_file(path, 1000000, nodes, ordered)
            rates.append(size / 1e6 / performance_runs.processor_seconds([self.sotto, "data", "import", path, f"{self.folder}/l.sotto"]))
        return self.by_perf(f"with 1,000 ids in place of 1,000,000 (their table in cache) {rates[0]:.0f} MB/s, with sorted edges "
                            f"{rates[1]:.0f} MB/s; {self.parts(f'{self.folder}/edges.csv')}", self.sotto, "data", "import",
                            f"{self.folder}/edges.csv", f"{self.folder}/l.sotto")

    def parts(self, path):
        """Processor time of an import, and of what it has to do: the program for one edge, the checks and checksums of the finished
        dataset, and the system's copy of as many bytes."""
        def least(*command):
            return min(performance_runs.processor_seconds(list(command)) for _ in range(5))

        out, tiny = f"{self.folder}/l.sotto", f"{self.folder}/one.csv"
        with open(tiny, "w") as file:
            file.write("source,target\n1,2\n")
        whole = least(self.sotto, "data", "import", path, out)
        info, copy = least(self.sotto, "data", "info", out), least("cp", "--reflink=never", out, f"{out}.copy")
        size = os.path.getsize(out) / 1e6
        start = least(self.sotto, "data", "import", tiny, f"{self.folder}/one.sotto")
        return (f"{1000 * whole:.0f} ms, of which the program takes {1000 * start:.0f} for a list of one edge, opening the finished dataset "
                f"(its checks and the checksums) {1000 * info:.0f}, and the system {1000 * copy:.0f} to copy the {size:.0f} MB of the dataset")

    def npz(self, row):
        path = dict(performance_runs.gap_data(self.args, f"{self.folder}/words.npz"))[row["kernel"].removeprefix("reading npz, ")]
        seconds = os.path.getsize(path) / 1e6 / row["bound"]
        return self.by_perf(f"zlib alone takes {1000 * seconds:.0f} ms; {self.parts(path)}", self.sotto, "data", "import", path,
                            f"{self.folder}/l.sotto")

    def planetoid(self, row):
        path = f"{self.args.data_dir}/planetoid:cora"
        return self.by_perf(self.parts(path), self.sotto, "data", "import", path, f"{self.folder}/l.sotto")

    def start(self, row):
        """Each library alone, loaded into a program that does nothing."""
        lines = subprocess.run(["ldd", self.sotto], capture_output=True, text=True).stdout
        floor, costs = run.wall_ms(["/bin/true"]), []
        for path in re.findall(r"=> (/\S+)", lines):
            if "/libc.so" not in path:
                costs.append((self.preloaded(path) - floor, os.path.basename(path).split(".so")[0]))
        costs.sort(reverse=True)
        return "libraries loaded into /bin/true, each alone: " + ", ".join(f"{name} {ms:.2g} ms" for ms, name in costs[:5])

    def preloaded(self, path):
        os.environ["LD_PRELOAD"] = path
        try:
            return run.wall_ms(["/bin/true"])
        finally:
            del os.environ["LD_PRELOAD"]

    def start_memory(self, row):
        lines = subprocess.run(["ldd", self.sotto], capture_output=True, text=True).stdout
        floor, costs = performance_runs.peak(["/bin/echo", "x"], held=True), []
        for path in re.findall(r"=> (/\S+)", lines):
            if "/libc.so" not in path:
                held = performance_runs.peak(["/bin/echo", "x"], held=True, env={**os.environ, "LD_PRELOAD": path})
                costs.append((held - floor, os.path.basename(path).split(".so")[0]))
        costs.sort(reverse=True)
        return f"/bin/echo takes {floor:.2g} MB, with a library alone more: " + ", ".join(f"{name} {mb:.2g}" for mb, name in costs[:5])

    def gnn(self, row):
        """GCN: the products with features, which are not sparse: forward in training, forward in validation, backward of weights.
        GIN: its epochs train a decoder on a stored aggregate, and do not read features."""
        most, kind = self.figures.get("float multiply-adds"), row["kernel"].split(",")[0]
        operations = 3 * 200 * 13752 * 767 * 64 / 1e9
        words = "its epochs train a decoder on a stored aggregate" if kind == "gin" else (
            f"the {operations:.0f} G multiply-adds of its products with features take {operations / most:.3g} s at the machine's rate, and "
            f"{operations / self.figures['two large products']:.3g} s at the rate measured at that shape")
        return self.by_perf(words, *self.train("--method", "gnn", "--aggregator", kind, "--data", f"{self.folder}/g.sotto", "--hidden",
                                               "64", "--patience", "0", "--epochs", "20"))

    def gap(self, row):
        name = row["kernel"].removeprefix("gap, whole run, ")
        path = dict(performance_runs.gap_data(self.args, f"{self.folder}/words.npz"))[name]
        out = f"{self.folder}/perf-gap-{name.split()[0]}"
        return self.by_perf("the products of its networks", self.sotto, "train", *performance_runs.GAP, "--data", path, "--out", out)

    def distance(self, row):
        """Samples over the pairs of bench_gw, whose set is made anew where it is a part of one."""
        name, starts = row["kernel"].split(", ")[2], 1 if "one start" in row["kernel"] else 6
        data = f"{self.args.data_dir}/tu/{name}"
        if "nodes" in row["kernel"]:
            os.makedirs(f"{self.folder}/perf-gw", exist_ok=True)
            data = f"{self.folder}/perf-gw/{name}"
            if not os.path.isdir(data):
                performance_peers.mid_sized(f"{self.args.data_dir}/tu/{name}", f"{self.folder}/perf-gw")
        pairs = "\n".join(f"{i} {j}" for i in range(60) for j in range(i))
        path = f"{self.folder}/pairs-gw"
        with open(path, "w") as file:
            file.write(pairs)
        return self.by_perf("its transports, products and exchanges", "sh", "-c",
                            f"{self.args.build}/bench/bench_gw {data} {starts} < {path}")

    def align_memory(self, row):
        return "both sides keep all their points and the places of their ids until the end: it grows with the ids, about by the bytes of this line"

    OF = {"release,": release, "two large products": dense, "noise, rows": noise, "DP-SGD": dpsgd, "secure sum": secure_sum,
          "ring product": ring, "alignment": alignment, "reading a CSV": csv, "reading npz": npz, "reading Planetoid": planetoid, "start of": start, "memory of sotto": start_memory,
          "gcn,": gnn, "gin,": gnn, "gap,": gap, "Gromov-Wasserstein": distance, "memory of an alignment": align_memory}
