"""bench/peers: lines are merged into a table, a wrong one is refused, and what cannot run is skipped aloud. Without PyPI."""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("SOTTO_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PEERS = f"{SOURCE}/bench/peers"
sys.path.insert(0, PEERS)
sys.dont_write_bytecode = True
import environments  # noqa: E402
import table  # noqa: E402


def line(peer, seed, accuracy, seconds, **more):
    return {"task": "edge level", "dataset": "made", "peer": peer, "method": "gap", "options": {"layers": 1}, "seed": seed,
            "selection": seed == 1000, "version": f"{peer} 1.0", "wall_s": seconds, "cpu_s": seconds, "accuracy": accuracy, **more}


LINES = [line("gap", 1000, 0.99, 9), line("gap", 1, 0.80, 4, epsilon_theirs=1.0, epsilon_ours=0.93), line("gap", 2, 0.84, 4),
         line("sotto", 1, 0.70, 2), line("sotto", 2, 0.72, 2)]


def merged(lines, folder):
    with open(f"{folder}/lines.jsonl", "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(one) if isinstance(one, dict) else one}\n" for one in lines)
    with open(f"{folder}/skipped.json", "w", encoding="utf-8") as file:
        json.dump({"opacus (DP-SGD, made)": "it could not be installed"}, file)
    return subprocess.run([sys.executable, "-B", f"{PEERS}/table.py", "--lines", f"{folder}/lines.jsonl", "--skipped",
                           f"{folder}/skipped.json", "--build", folder, "--out", folder], capture_output=True, text=True)


def merges(folder):
    done = merged(LINES, folder)
    assert done.returncode == 0, done.stderr
    with open(f"{folder}/peers.md", encoding="utf-8") as file:
        text = file.read()
    assert "82.00 ± 2.83" in text and "71.00 ± 1.41" in text and "99.00" not in text, text
    assert "| 2.00 |" in text and "0.93" in text, text
    assert "`gap` is 11.00 points below GAP's loop" in text, text
    assert "- opacus (DP-SGD, made): it could not be installed" in text, text


def refuses(folder):
    for wrong, said in ((line("gap", 3, 1.2, 4), "a share of 1"), (line("gap", 3, float("nan"), 4), "no figure"),
                        (line("gap", "3", 0.8, 4), "'seed' is missing"), (line("gap", 3, 0.8, 4, mood=1), "'mood' is not a key"),
                        ("{", "line 6"), ({k: v for k, v in LINES[1].items() if k != "cpu_s"}, "'cpu_s' is missing")):
        done = merged([*LINES, wrong], folder)
        assert done.returncode != 0 and said in done.stderr and "line 6" in done.stderr, (wrong, done.stderr)


class Arguments:
    def __init__(self, folder):
        self.environments, self.no_install, self.python = folder, True, None


def missing(places, peer, said):
    try:
        places.run(peer, {})
    except environments.Missing as why:
        assert said in str(why), why
    else:
        raise AssertionError(f"{peer} was not found missing")


def skips(folder):
    """A peer without an environment, one that fails, one that prints no line, and one that runs."""
    for name, text in (("fails", "raise SystemExit('no such library')"), ("silent", "print('nothing')"),
                       ("runs", "print('{\"a\": 1}'); print('[late] a word of a library')")):
        os.mkdir(f"{folder}/{name}")
        with open(f"{folder}/{name}/run.py", "w", encoding="utf-8") as file:
            file.write(text)
        with open(f"{folder}/{name}/requirements.txt", "w", encoding="utf-8") as file:
            file.write("# environment: none\n")
    arguments = Arguments(folder)
    missing(environments.Environments(folder, arguments), "fails", "--no-install")
    arguments.python = sys.executable
    places = environments.Environments(folder, arguments)
    missing(places, "fails", "no such library")
    missing(places, "silent", "no line of JSON")
    assert places.run("runs", {}) == {"a": 1}


def pinned():
    """Every peer has a runner, and each of its packages one version."""
    folders = [name for name in sorted(os.listdir(PEERS)) if os.path.isdir(f"{PEERS}/{name}") and name != "__pycache__"]
    assert len(folders) >= 9, folders
    for name in folders:
        assert os.path.exists(f"{PEERS}/{name}/run.py"), name
        with open(f"{PEERS}/{name}/requirements.txt", encoding="utf-8") as file:
            head, *packages = file.read().split("\n")
        assert head.startswith("# environment: ") and all("==" in one for one in packages if one), name


for test in (merges, refuses, skips):
    with tempfile.TemporaryDirectory() as work:
        test(work)
pinned()
