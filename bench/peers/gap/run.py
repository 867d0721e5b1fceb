#!/usr/bin/env python3
"""A run of GAP's re-implemented loop."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peer


def work(job):
    import loop
    data = peer.Data(job["data"])
    scores, validation, noise = loop.run(data, job["seed"], delta=job["delta"], epsilon=job["epsilon"], **job["options"])
    return {**peer.measures(scores, data.labels[data.parts[2]]), "validation": validation, "compose": noise["compose"],
            "epsilon_theirs": noise["epsilon_theirs"]}


if __name__ == "__main__":
    import networks  # noqa: F401  PyTorch is loaded before the clock starts
    import dp_accounting.rdp  # noqa: F401
    import sklearn.metrics  # noqa: F401
    peer.main(work, "torch")
