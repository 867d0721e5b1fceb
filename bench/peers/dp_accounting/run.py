#!/usr/bin/env python3
"""Epsilon of lists of mechanisms, written as for `sotto account --compose`, by the privacy loss distributions of dp-accounting."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import dp_accounting
import peer
from dp_accounting.pld import PLDAccountant


def event(text):
    name, *words = text.split()
    values = {key: float(value) for key, value in (word.split("=") for word in words)}
    if name == "laplace":
        one = dp_accounting.LaplaceDpEvent(values["noise"])
    else:
        one = dp_accounting.GaussianDpEvent(values["noise"])
    if name == "subsampled-gaussian":
        one = dp_accounting.PoissonSampledDpEvent(values["rate"], one)
    return dp_accounting.SelfComposedDpEvent(one, int(values["count"]))


def work(job):
    releases = job["options"]["releases"]
    whole = dp_accounting.ComposedDpEvent([event(text) for text in releases])
    return {"items": 1, "epsilon_theirs": PLDAccountant().compose(whole).get_epsilon(job["delta"]), "compose": releases}


if __name__ == "__main__":
    peer.main(work, "dp-accounting")
