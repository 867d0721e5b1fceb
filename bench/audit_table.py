"""docs/results/audit.jsonl as a table: python3 bench/audit_table.py docs/results/audit.jsonl > docs/results/audit.md"""
import json
import sys

PAPER = {"cora": 0.645}  # Zheng et al. 2026, section VI-B: G-MIA without privacy; LinkTeller without privacy 0.86 to 0.998


def rows(path):
    for line in open(path, encoding="utf-8"):
        entry = json.loads(line)
        for found in entry["audit"]["findings"]:
            yield entry, found


def bound(found):
    if found["attack"] == "canary":
        mu = f", mu {found['mu_lower_bound']:.3f} of {found['stated_mu']:.3f}" if "stated_mu" in found else ""
        verdict = "no objection" if found["holds"] else "FAILED"
        return f"at least {found['epsilon_lower_bound']:.2f} of {found['stated_epsilon']:.2f}{mu}: {verdict}"
    return f"{found['implied_epsilon']:.2f}" + ("" if found["decides"] else " *")


def figures(found):
    if found["attack"] == "canary":
        return "", "", ""
    low, high = found["auc_interval"]
    return (f"{found['auc']:.3f} ({low:.3f} - {high:.3f})", f"{100 * found['tpr_at_1_percent']:.1f} %",
            f"{100 * found['tpr_at_0.1_percent']:.1f} %")


def main(path):
    print("# Attacks\n\nMade by `bench/audit.sh`; [docs/audit.md](../audit.md) says what each attack sees. One run each, seed 1,\n"
          "defaults of `sotto train`; 500 nodes for linkteller, 5,000 edges and as many other pairs for link stealing\n"
          "(the best of its eight distances, and the perceptron that knows half), 20,000 runs a canary. `*`: not a test of\n"
          "what is stated. Zheng et al. 2026 have 0.86 to 0.998 for linkteller without privacy and below 0.5 with, and 0.645 and\n"
          "0.500 for node membership on cora.\n")
    print("| data | method | epsilon | attack | AUC (95%) | TPR at 1% | at 0.1% | epsilon at least |")
    print("|---|---|---|---|---|---|---|---|")
    best = {}
    for entry, found in rows(path):
        key = (entry["dataset"], entry["method"], entry["epsilon"])
        if found["attack"] == "link-stealing" and found["variant"] != "known-half":
            if key not in best or best[key]["auc"] < found["auc"]:
                best[key] = found
    for entry, found in rows(path):
        key = (entry["dataset"], entry["method"], entry["epsilon"])
        if key in best and found["attack"] == "link-stealing" and found["variant"] != "known-half" and found is not best[key]:
            if found["variant"] != best[key]["variant"]:
                continue
        fresh = ", fresh noise" if "--fresh" in entry["options"] else ""
        cells = [entry["dataset"], entry["method"], entry["epsilon"], f"{found['attack']}, {found['variant']}{fresh}",
                 *figures(found), bound(found)]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1])
