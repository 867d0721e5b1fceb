"""Tasks that are no training on a graph: distances, kernels of graphs, accounting, products over a ring, private set intersection.

`items` says how many of what the time is for: pairs, epsilons, products, ids."""
import json


def tasks(args, runner, folder, seeds):
    quick = args.quick
    if folder:
        yield distances(folder, seeds)
        yield kernels(folder)
    yield accounting(seeds)
    yield {"name": "ring product", "dataset": "512 x 512 integers", "seeds": seeds, "job": {},
           "entries": [{"peer": "crypten", "method": "product", "grid": [{"size": 64 if quick else 512}]},
                       {"peer": "sotto", "method": "product", "grid": [{}], "work": product}]}
    yield intersection(200 if quick else 10000, seeds)


def distances(folder, seeds):
    return {"name": "Gromov-Wasserstein distances", "dataset": "MUTAG", "data": [folder], "seeds": seeds[:2], "job": {},
            "entries": [{"peer": "pot", "method": "loop", "grid": [{"pairs": 500}]},
                        {"peer": "pot", "method": "batch", "grid": [{"pairs": 20}]},
                        {"peer": "sotto", "method": "compare", "grid": [{"starts": 6}], "work": compare}]}


def compare(program, task, options, seed):
    said, line = program.timed("compare", task["data"][0], "--by", "paths", "--starts", options["starts"], "--threads", 1, "--out",
                               f"{program.work}/paths-{seed}.npz", "--json")
    graphs = json.loads(said.strip().splitlines()[-1])
    return {**line, "items": graphs["graphs"] * (graphs["graphs"] - 1) // 2, "value": graphs["mean"]}


def kernels(folder):
    return {"name": "kernels of graphs", "dataset": "MUTAG", "data": [folder], "seeds": [1, 2, 3], "job": {},
            "entries": [{"peer": "wl", "method": "Weisfeiler-Lehman and SVM", "grid": [{"rounds": 3}]},
                        {"peer": "sotto", "method": "shortest paths and SVM", "grid": [{}], "work": kernel}]}


def kernel(program, task, options, seed):
    path = f"{program.work}/kernel-{seed}.npz"
    _, first = program.timed("compare", task["data"][0], "--by", "kernel", "--threads", 1, "--out", path)
    said, line = program.timed("compare", "classify", path, "--seed", seed, "--threads", 1, "--json")
    result = json.loads(said.strip().splitlines()[-1])
    return {**line, "wall_s": line["wall_s"] + first["wall_s"], "cpu_s": line["cpu_s"] + first["cpu_s"],
            "accuracy": result["svm"]}


MECHANISMS = [["gaussian noise=4 count=10"], ["subsampled-gaussian noise=0.8 rate=0.01 count=1000"],
              ["subsampled-gaussian noise=1.5 rate=0.02 count=900", "gaussian noise=5 count=1"], ["laplace noise=2 count=4"]]


def accounting(seeds):
    entries = []
    for releases in MECHANISMS:
        name = "; ".join(releases)
        entries += [{"peer": "dp_accounting", "method": name, "grid": [{"releases": releases}]},
                    {"peer": "sotto", "method": name, "grid": [{"releases": releases}], "work": account}]
    return {"name": "accounting", "dataset": "delta 1e-6", "seeds": seeds[:1], "job": {"delta": 1e-6}, "entries": entries}


def account(program, task, options, seed):
    path = f"{program.work}/list.txt"
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"{release}\n" for release in options["releases"]))
    _, line = program.timed("account", "--compose", path, "--delta", task["job"]["delta"], "--json")
    return {**line, "items": 1, "releases": options["releases"]}


def product(program, task, options, seed):
    """Of bench_ring; the figure that it writes for scripts, a thousand million multiply-adds a second."""
    record = f"{program.work}/ring-{seed}.jsonl"
    _, line = program.timed(program="bench/bench_ring", record=record)
    with open(record, encoding="utf-8") as file:
        figures = [json.loads(text) for text in file]
    rate = next(figure["value"] for figure in figures if figure["name"] == "ring product")
    seconds = 512**3 / rate / 1e9
    return {**line, "items": 1, "wall_s": seconds, "cpu_s": seconds}


def intersection(ids, seeds):
    grid = [{"ids": ids}]
    return {"name": "private set intersection", "dataset": f"{ids} ids a party", "seeds": seeds, "job": {},
            "entries": [{"peer": "openmined_psi", "method": "ECDH, compressed", "grid": grid},
                        {"peer": "secretflow_psi", "method": "ECDH", "grid": grid},
                        {"peer": "sotto", "method": "align", "grid": grid, "work": align}]}


def align(program, task, options, seed):
    ids = options["ids"]
    for name, first in (("a", 0), ("b", ids // 2)):
        with open(f"{program.work}/{name}.txt", "w", encoding="utf-8") as file:
            file.write("".join(f"person-{seed}-{i}\n" for i in range(first, first + ids)))
    _, line = program.timed("align", "--ids", f"{program.work}/a.txt", "--peer-ids", f"{program.work}/b.txt", "--out",
                            f"{program.work}/aligned-{seed}", "--threads", 1, "--json")
    with open(f"{program.work}/aligned-{seed}/party-0/ids.txt", encoding="utf-8") as file:
        return {**line, "items": ids, "value": len(file.readlines())}
