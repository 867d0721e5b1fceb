#!/usr/bin/python3
"""Traffic of split learning over three lines: accuracy, bytes and time of vesper between two parties, as the table of
docs/methods.md, with and without --share-features once. Two network namespaces, joined by tests/net/bad_network.c where there is a delay, and by a pair of devices where
there is none; tbf limits the rate of either end. Needs root.

bench/traffic.py [--build build] [--network build-test/tests/bad_network] [--data FOLDER] [--work /tmp/sotto-traffic]
                        [--only computers,transactions-5,transactions-6] [--lines 1000:0,100:40,20:80] [--write]

--lines: Mbit/s and ms each way. Finished runs in the work folder are taken as they are. --write puts the table into docs/methods.md.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

NAMES = {"computers": "computers, 13,752 nodes", "transactions-5": "transactions, 10^5 nodes", "transactions-6": "transactions, 10^6 nodes"}
SHARED = {"no": "stay with their party", "once": "sent once"}
SPACES = ("sotto-traffic-a", "sotto-traffic-b")
ADDRESS = "10.77.0.1"
BEGIN, END = "<!-- traffic: bench/traffic.py -->\n", "<!-- end of traffic -->\n"


def call(*words, **how):
    done = subprocess.run([str(w) for w in words], text=True, capture_output=True, **how)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Line:
    """Two namespaces and the line between them."""

    def __init__(self, program, rate, delay):
        self.carrier = None
        self.close()
        for space in SPACES:
            call("ip", "netns", "add", space)
        if delay > 0:
            self.carrier = subprocess.Popen([program, "1", *SPACES, "--", f"*:delay={delay}"], stdout=subprocess.PIPE, text=True)
            if not self.carrier.stdout.readline().startswith("up"):
                sys.exit(f"{program}: the network did not begin")
        else:
            call("ip", "link", "add", "bad", "netns", SPACES[0], "type", "veth", "peer", "name", "bad", "netns", SPACES[1])
            for i, space in enumerate(SPACES):
                call("ip", "-n", space, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "bad")
                call("ip", "-n", space, "link", "set", "bad", "up")
        for space in SPACES:
            call("tc", "-n", space, "qdisc", "add", "dev", "bad", "root", "tbf", "rate", f"{rate}mbit", "burst",
                 f"{max(64, rate // 2)}kb", "latency", "400ms")

    def close(self):
        if self.carrier is not None:
            self.carrier.terminate()
            self.carrier.wait()
        for space in SPACES:
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)


class Maker:
    def __init__(self, args):
        self.args, self.sotto = args, os.path.abspath(f"{args.build}/sotto")
        os.makedirs(args.work, exist_ok=True)
        os.environ.update(SOTTO_LEDGER=f"{args.work}/ledger.db", HOME=args.work)
        if not os.path.exists(f"{args.work}/ledger.db"):
            call(self.sotto, "ledger", "init")
            for own in ("bank", "partner"):
                call(self.sotto, "identity", "init", "--name", own, "--dir", f"{args.work}/{own}")
            for own, other in (("bank", "partner"), ("partner", "bank")):
                call(self.sotto, "identity", "trust", f"{args.work}/{other}/own.crt", "--dir", f"{args.work}/{own}")

    def dataset(self, name):
        path = f"{self.args.work}/{name}.sotto"
        if os.path.exists(path):
            return path
        if name == "computers":
            source = f"{self.args.work}/computers.npz"
            shutil.copy(f"{self.args.data}/npz/amazon_electronics_computers.npz", source)
            call(self.sotto, "data", "import", source, path)
        else:
            call(self.sotto, "data", "generate", "transactions", "--nodes", 10 ** int(name[-1]), "--seed", 1, "--out", path)
        return path

    def run(self, name, share, rate, delay):
        """Result of the label party, with the seconds from its start to its end."""
        out = f"{self.args.work}/{name}-{rate}-{delay}" + ("-once" if share == "once" else "")
        if os.path.exists(f"{out}.json"):
            with open(f"{out}.json", encoding="utf-8") as file:
                return json.load(file)
        data = self.dataset(name)
        for role in ("data", "label"):
            shutil.rmtree(f"{out}-{role}", ignore_errors=True)
        line = Line(self.args.network, rate, delay)
        with open(f"{self.args.work}/run.yaml", "w", encoding="utf-8") as file:
            file.write("method: vesper\nepsilon: 4\ndelta: 1e-6\ninsecure-seed: 1\n")
        words = [f"{self.args.work}/run.yaml", "--insecure-seed", 1, "--share-features", share, "--data", data, "--json"]
        sides = {"data": ["--dir", f"{self.args.work}/bank", "--peer", "partner", "--listen", f"{ADDRESS}:7443"],
                 "label": ["--dir", f"{self.args.work}/partner", "--peer", f"bank={ADDRESS}:7443"]}
        begun, parties = time.time(), []
        try:
            for space, (role, own) in zip(SPACES, sides.items()):
                command = ["ip", "netns", "exec", space, self.sotto, "run", *words, "--role", role, *own, "--out", f"{out}-{role}"]
                with open(f"{out}-{role}.log", "w", encoding="utf-8") as log:
                    parties.append(subprocess.Popen([str(w) for w in command], stdout=subprocess.PIPE, stderr=log, text=True))
            texts = [party.communicate()[0] for party in parties]
        finally:
            for party in parties:
                if party.poll() is None:
                    party.kill()
            line.close()
        if any(party.returncode for party in parties):
            sys.exit(f"{out}-data.log, {out}-label.log: a party failed")
        result = {"seconds": time.time() - begun, "label": json.loads(texts[1])}
        with open(f"{out}-label.log", encoding="utf-8") as log:
            result["said"] = re.findall(r"this training exchanges.*", log.read())[0]
        with open(f"{out}.json", "w", encoding="utf-8") as file:
            json.dump(result, file)
        return result


def megabytes(result):
    """MB that were sent both ways."""
    return sum(sum(side.values()) for side in result["wire"].values()) / 1e6


def planned_of(said):
    """Seconds on the line, as the run said them first."""
    minutes, seconds = re.search(r"that takes (?:(\d+) min )?(\d+) s at", said).groups()
    return 60 * int(minutes or 0) + int(seconds)


def table(maker, names, lines):
    yield "| data | features | accuracy, AUC | MB | " + " | ".join(
        f"{rate / 1000:g} Gbit/s" if delay == 0 else f"{rate} Mbit/s, {delay} ms" for rate, delay in lines) + " |"
    yield "|---|---|---|---|" + "---|" * len(lines)
    for name, share in [(name, share) for name in names for share in ("no", "once")]:
        results = [maker.run(name, share, *line) for line in lines]
        quality = results[0]["label"]["test"]
        figures = ", ".join(f"{100 * quality[measure]['mean']:.2f}" for measure in ("accuracy", "auc"))
        times = [f"{r['seconds']:.0f} s, planned {planned_of(r['said'])} s" for r in results]
        yield f"| {NAMES[name]} | {SHARED[share]} | {figures} | {megabytes(results[0]['label']):,.0f} | " + " | ".join(times) + " |"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--build", default="build")
    parser.add_argument("--network", default="build-test/tests/bad_network")
    parser.add_argument("--data", help="folder of public graphs, with npz/amazon_electronics_computers.npz")
    parser.add_argument("--work", default="/tmp/sotto-traffic")
    parser.add_argument("--only", default=",".join(NAMES))
    parser.add_argument("--lines", default="1000:0,100:40,20:80")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.data is None and "computers" in args.only.split(","):
        parser.error("computers: name the folder of public graphs, --data FOLDER, or leave it out by --only")
    lines = [tuple(map(int, line.split(":"))) for line in args.lines.split(",")]
    rows = "\n".join(table(Maker(args), args.only.split(","), lines)) + "\n"
    print(rows, end="")
    if args.write:
        with open("docs/methods.md", encoding="utf-8") as file:
            text = file.read()
        before, rest = text.split(BEGIN)
        with open("docs/methods.md", "w", encoding="utf-8") as file:
            file.write(before + BEGIN + rows + END + rest.split(END)[1])


main()
