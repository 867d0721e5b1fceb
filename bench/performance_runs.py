"""Whole runs of the program, for bench/performance.py: processor seconds, rates and memory of its processes."""
import os
import random
import re
import subprocess
import time
import zipfile
import zlib

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def csv_file(path, edges, nodes=1000000, ordered=False):
    draw = random.Random(1)
    pairs = ((draw.randrange(nodes), draw.randrange(nodes)) for _ in range(edges))
    if ordered:
        pairs = sorted(pairs)
    with open(path, "w") as file:
        file.write("source,target\n")
        file.writelines(f"{a},{b}\n" for a, b in pairs)
    return os.path.getsize(path)


def processor_seconds(command):
    child = subprocess.Popen(command, **QUIET)
    _, state, used = os.wait4(child.pid, 0)
    child.returncode = state
    if state != 0:
        raise SystemExit(f"bench/performance.py: {' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


def peak(command, held=False, env=None):
    """The most memory in MB, as /proc says while it runs: what wait4 says has this process's own memory in it, from before exec.
    With `held` the command cannot write what it prints, and is asked, then ended, while it waits."""
    out, into = os.pipe()
    os.set_blocking(into, False)
    try:
        while held:
            os.write(into, b" " * 4096)
    except BlockingIOError:
        os.set_blocking(into, True)
    child = subprocess.Popen(command, stdout=into if held else subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    most, until = 0, time.monotonic() + 0.3
    while child.poll() is None and (not held or time.monotonic() < until):
        with open(f"/proc/{child.pid}/status") as file:
            found = re.search(r"VmHWM:\s+([0-9]+) kB", file.read())
        most = int(found.group(1)) if found else most
        time.sleep(0.002)
    child.kill()
    child.wait()
    os.close(out)
    os.close(into)
    return most * 1024 / 1e6


def trainings(sotto, folder):
    """GCN and GIN on a graph of the size of computers."""
    data = f"{folder}/g.sotto"
    subprocess.run([sotto, "data", "generate", "powerlaw", "--nodes", "13752", "--edges", "245861", "--features", "767",
                    "--classes", "10", "--out", data], **QUIET, check=True)
    for aggregator in ("gcn", "gin"):
        train = [sotto, "train", "--method", "gnn", "--aggregator", aggregator, "--data", data, "--hidden", "64", "--threads", "1",
                 "--patience", "0", "--epochs"]
        short, long = (min(processor_seconds([*train, str(epochs), "--out", f"{folder}/{aggregator}{epochs}-{run}"]) for run in range(3))
                       for epochs in (5, 45))
        yield {"name": f"{aggregator}, 200 epochs", "value": (long - short) * 200 / 40, "unit": "s"}


GAP = ("--method", "gap", "--adjacency", "edge", "--epsilon", "4", "--delta", "1e-6", "--layers", "2", "--hidden", "64", "--epochs",
       "100", "--encoder-epochs", "100", "--patience", "0", "--threads", "1")


def gap_data(args, words):
    named = [("computers", f"{args.data_dir}/npz/amazon_electronics_computers.npz"), ("bag of words", words)]
    return [(name, path) for name, path in named if os.path.exists(path)]


def gap(sotto, args, words, folder):
    """From the command to the end of the process, reading and files included."""
    for name, path in gap_data(args, words):
        out = f"{folder}/gap-{name.split()[0]}"
        yield {"name": f"gap, whole run, {name}", "unit": "s",
               "value": processor_seconds([sotto, "train", *GAP, "--data", path, "--out", out])}


def inflated(path):
    """Megabytes a second of the file in which zlib alone inflates its members."""
    seconds = 0
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for member in archive.infolist():
            file.seek(member.header_offset)
            head = file.read(30)
            file.seek(member.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"))
            packed = file.read(member.compress_size)
            begin = time.process_time()
            if member.compress_type == zipfile.ZIP_DEFLATED:
                zlib.decompress(packed, -15)
            seconds += time.process_time() - begin
    return os.path.getsize(path) / 1e6 / seconds


def readings(sotto, args, words, folder):
    """Of the files' own bytes, whole commands that write a dataset."""
    def rate(path, size):
        return size / 1e6 / min(processor_seconds([sotto, "data", "import", path, f"{folder}/read.sotto"]) for _ in range(3))

    table = f"{folder}/edges.csv"
    size = csv_file(table, 2000000)
    yield {"name": "reading a CSV of edges", "value": rate(table, size), "unit": "MB/s"}
    held = peak([sotto, "data", "import", table, f"{folder}/read.sotto"])
    yield {"name": "memory of reading a CSV of edges", "value": held, "unit": "MB", "bound": size / 1e6, "against": "the file"}
    yield from memory_of_edges(sotto, folder, [(2000000, size, held)], (4000000,) if args.quick else (10000000, 20000000))
    for name, path in gap_data(args, words):
        yield {"name": f"reading npz, {name}", "value": rate(path, os.path.getsize(path)), "unit": "MB/s", "bound": inflated(path),
               "against": "zlib alone"}
    folder_of = f"{args.data_dir}/planetoid"
    if os.path.exists(f"{folder_of}/ind.cora.x"):
        files = [f"{folder_of}/{name}" for name in os.listdir(folder_of) if name.startswith("ind.cora.")]
        yield {"name": "reading Planetoid, cora", "value": rate(f"{folder_of}:cora", sum(map(os.path.getsize, files))), "unit": "MB/s"}


def memory_of_edges(sotto, folder, points, counts, asked=10**8):
    """Peak memory of importing larger CSVs, and where the line through all points, by least squares, leads."""
    table = f"{folder}/many.csv"
    for count in counts:
        size = csv_file(table, count)
        points.append((count, size, peak([sotto, "data", "import", table, f"{folder}/many.sotto"])))
        yield {"name": f"memory of reading a CSV of {count:,} edges", "value": points[-1][2], "unit": "MB", "bound": size / 1e6,
               "against": "the file"}
    os.remove(table)
    os.remove(f"{folder}/many.sotto")
    at_line = [line_at([(count, value) for count, *both in points for value in both[k:k + 1]], asked) for k in range(2)]
    yield {"name": f"memory of reading a CSV of {asked:,} edges, by the line through these", "value": at_line[1], "unit": "MB",
           "bound": at_line[0] / 1e6, "against": "the file"}


def line_at(points, x):
    """The line of least squares through the points, at x."""
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    slope = sum((a - mean_x) * (b - mean_y) for a, b in points) / sum((a - mean_x) ** 2 for a, _ in points)
    return mean_y + slope * (x - mean_x)


def alignments(args, counts=(100000, 1000000)):
    """Peak memory of both sides in one process, and where the line through both counts leads."""
    peaks = []
    for count in counts:
        said = subprocess.run([f"{args.build}/bench/bench_align", str(count)], capture_output=True, text=True, check=True).stdout
        peaks.append(float(re.search(r"peak memory ([0-9]+) MB", said).group(1)))
        yield {"name": f"memory of an alignment, {count:,} ids on each of two sides", "value": peaks[-1], "unit": "MB"}
    slope = (peaks[1] - peaks[0]) / (counts[1] - counts[0])
    yield {"name": "memory of an alignment, 10,000,000 ids, by the line through these", "unit": "MB",
           "value": peaks[1] + slope * (10**7 - counts[1])}


def whole_runs(args, words, folder):
    sotto = f"{args.build}/sotto"
    yield {"name": "memory of sotto --help", "value": peak([sotto, "--help"], held=True), "unit": "MB"}
    subprocess.run([sotto, "ledger", "init"], **QUIET, check=True)
    yield from trainings(sotto, folder)
    yield from gap(sotto, args, words, folder)
    yield from readings(sotto, args, words, folder)
    yield from alignments(args, (10000, 20000) if args.quick else (100000, 1000000))
