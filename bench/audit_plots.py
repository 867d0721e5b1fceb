"""docs/results/audit.jsonl as plots: python3 bench/audit_plots.py docs/results build/bench/bench_chart

audit-DATASET.svg: area under the curve of linkteller (a release made anew for each answer) and of link stealing (the
perceptron that knows every second edge) against epsilon, a line a method. audit-canary.svg: lower bounds on mu, as
shares of the stated one, for every dataset together: above 1 would be FAILED."""
import json
import subprocess
import sys

NAMES = {"linkteller": "linkteller", "link-stealing": "stealing"}


def points(lines):
    """(dataset, attack, method) -> [(epsilon, auc, half of the 95% interval)], and canaries by method."""
    curves, canaries = {}, {}
    for entry in lines:
        epsilon, method = entry["epsilon"], entry["method"]
        for found in entry["audit"]["findings"]:
            if found["attack"] == "canary" and found.get("stated_mu"):
                share = found["mu_lower_bound"] / found["stated_mu"]
                at = canaries.setdefault((method, entry["dataset"]), {})
                at[float(epsilon)] = max(at.get(float(epsilon), 0), share)
            if found["attack"] not in NAMES or (found["attack"] == "link-stealing") != (found["variant"] == "known-half"):
                continue
            if found["attack"] == "linkteller" and epsilon != "inf" and "--fresh" not in entry["options"]:
                continue  # the kept release: 0.5 exactly
            low, high = found["auc_interval"]
            curves.setdefault((entry["dataset"], found["attack"], method), []).append(
                (float(epsilon), found["auc"], (high - low) / 2))
    return curves, canaries


def draw(chart, out, title, label, series):
    text = "".join(f"{x} {y} {spread} {name}\n" for name, rows in series for x, y, spread in sorted(rows))
    subprocess.run([chart, title, "epsilon", label, out], input=text, text=True, check=True)


def main(folder, chart):
    with open(f"{folder}/audit.jsonl", encoding="utf-8") as lines:
        curves, canaries = points([json.loads(line) for line in lines])
    for dataset in sorted({key[0] for key in curves}):
        series = [(f"{NAMES[attack]}, {method}", rows) for (at, attack, method), rows in curves.items() if at == dataset]
        draw(chart, f"{folder}/audit-{dataset}.svg", f"{dataset}: attacks on edges", "area under the curve", series[:12])
    series = [(f"{method}, {dataset}", [(x, y, 0) for x, y in rows.items()]) for (method, dataset), rows in canaries.items()]
    if series:
        draw(chart, f"{folder}/audit-canary.svg", "canary: what it shows of the stated mu", "lower bound / stated mu",
             series[:12])


if __name__ == "__main__":
    main(*sys.argv[1:])
