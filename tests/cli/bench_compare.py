"""bench/compare.py on made files: what is slower beyond noise is named, and nothing else is."""
import json
import os
import random
import subprocess
import sys
import tempfile

COMPARE = os.path.join(os.environ["SOTTO_SOURCE"], "bench", "compare.py")


def made(unit, values, bounds=()):
    return {"unit": unit, "values": values, "bounds": list(bounds), "against": "a bound"}


def document(session, results):
    return {"session": session, "machine": {"processor": "made"}, "versions": {}, "results": results}


def compare(folder, old, new):
    for name, content in (("old", old), ("new", new)):
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(content, file)
    done = subprocess.run([sys.executable, COMPARE, f"{folder}/old.json", f"{folder}/new.json"], text=True,
                          capture_output=True)
    judged = {line[:44].strip(): line.split()[-1] for line in done.stdout.split("\n")[1:] if line}
    return done.returncode, judged


def main():
    draw = random.Random(7)
    load = [1 + 3 * draw.random() for _ in range(9)]  # how busy the machine was in each round
    noise = [0.99 + 0.02 * draw.random() for _ in range(9)]
    bounds = [10 * a for a in load]
    same = {"time": made("ms", [30 * a * n for a, n in zip(load, noise)], bounds),
            "rate": made("draws/s", [7 / a * n for a, n in zip(load, noise)], [9 / a for a in load]),
            "few": made("ms", [1, 2, 3])}
    slower = {"time": made("ms", [33 * a * n for a, n in zip(load, noise)], bounds),
              "rate": made("draws/s", [8 / a * n for a, n in zip(load, noise)], [9 / a for a in load]),
              "few": made("ms", [4, 5, 6])}
    with tempfile.TemporaryDirectory() as folder:
        code, judged = compare(folder, document("a", same), document("b", same))
        assert code == 0 and not {"slower", "faster"} & set(judged.values()), judged
        for session in ("a", "b"):  # in pairs, and not
            code, judged = compare(folder, document("a", same), document(session, slower))
            assert code == 1 and judged["time"] == "slower" and judged["rate"] == "faster", judged
            assert judged["few"] == "runs", judged


main()
