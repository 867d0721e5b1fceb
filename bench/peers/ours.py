"""Runs of sotto for bench/peers/run.py: trainings, exports, accounts, and other commands that are timed as whole processes."""
import contextlib
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time


class Failed(Exception):
    """A command of sotto that failed, and what it said."""


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as work:
        yield work


class Program:
    def __init__(self, build, work):
        self.build, self.work = build, work
        self.environment = {**os.environ, "SOTTO_LEDGER": f"{work}/ledger.db", "SOTTO_LEDGER_KEY": f"{work}/ledger.key",
                            "HOME": work, "OPENBLAS_NUM_THREADS": "1"}
        self.exports = {}
        self.call("ledger", "init")
        self.version = self.call("--version").split("\n")[0]

    def call(self, *words, program="sotto", record=None):
        environment = self.environment if record is None else {**self.environment, "SOTTO_BENCH_RECORD": record}
        done = subprocess.run([f"{self.build}/{program}", *map(str, words)], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise Failed((done.stderr.strip().splitlines() or ["it failed"])[-1][:200])
        return done.stdout

    def timed(self, *words, **more):
        """Wall and processor seconds, and the peak of the largest child so far, with what it printed."""
        before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        said = self.call(*words, **more)
        wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return said, {"wall_s": wall, "cpu_s": cpu, "version": self.version}

    def exported(self, task, seed):
        """The dataset with the split of that seed, as arrays."""
        if "data" not in task:
            return None
        name = (task["dataset"], seed)
        if name not in self.exports:
            for path in self.exports.values():
                with contextlib.suppress(OSError):
                    os.remove(path)
            self.exports.clear()
            self.exports[name] = f"{self.work}/{task['dataset']}-{seed}.npz"
            self.call("data", "export", *task["data"], self.exports[name], "--seed", seed, "--json")
        return self.exports[name]

    def account(self, releases, delta):
        path = f"{self.work}/compose.txt"
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{release}\n" for release in releases))
        return json.loads(self.call("account", "--compose", path, "--delta", delta, "--json"))["epsilon"]

    def run(self, task, entry, options, seed):
        if "work" in entry:
            return entry["work"](self, task, options, seed)
        return self.train(task, entry, options, seed)

    def train(self, task, entry, options, seed):
        out = f"{self.work}/run"
        shutil.rmtree(out, ignore_errors=True)
        data, more = task["data"][0], task["data"][1:]
        level = [] if entry.get("plain") else ["--adjacency", task["job"].get("level", "none")]
        if task["job"].get("epsilon") and not entry.get("plain"):
            level += [] if "epsilon" in options else ["--epsilon", task["job"]["epsilon"]]
            level += ["--delta", task["job"]["delta"]]
        words = [word for name, value in {**entry.get("fixed", {}), **options}.items()
                 for word in ([f"--{name}"] if value is True else [f"--{name}", value])]
        said, line = self.timed("train", "--method", entry["method"], "--data", data, *more, *level, *words, "--seed", seed,
                                "--threads", 1, "--out", out, "--json")
        result = json.loads(said.strip().splitlines()[-1])
        own = f"{out}/seed-{seed}/owner-only/result.json"  # where measures follow from private data
        with open(own if os.path.exists(own) else f"{out}/seed-{seed}/result.json", encoding="utf-8") as file:
            seed_result = json.load(file)
        test = seed_result["test"]
        line.update({"accuracy": test["accuracy"], "macro_f1": test["macro_f1"], "validation": seed_result["validation"]["accuracy"],
                     "peak_mb": result["peak_rss_mb"], "sent_bytes": sum(seed_result["data_party"]["sent"])})
        if task.get("classes") == 2:
            line["auc"] = test["auc"]
        if result["privacy"].get("epsilon") is not None and level and task["job"].get("epsilon"):
            line["epsilon_ours"] = result["privacy"]["epsilon"]
        return line
