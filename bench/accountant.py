#!/usr/bin/env python3
"""Privacy loss distributions compared with Google's dp_accounting (PyPI: dp-accounting), in one run.

usage: bench/accountant.py [--program build/bench/bench_accountant]
Without dp_accounting, ours alone.
"""
import argparse
import subprocess
import time

parser = argparse.ArgumentParser()
parser.add_argument("--program", default="build/bench/bench_accountant")
args = parser.parse_args()
print(subprocess.run([args.program], check=True, capture_output=True, text=True).stdout, end="")

try:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant
except ImportError:
    print("dp_accounting is not installed here: nothing to compare with")
    raise SystemExit(0)


def event(noise, steps):
    sampled = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(noise))
    return dp_accounting.SelfComposedDpEvent(sampled, steps)


start = time.perf_counter()
epsilon = PLDAccountant().compose(event(0.8, 10000)).get_epsilon(1e-6)
print(f"dp_accounting, the same             {1e3 * (time.perf_counter() - start):10.2f} ms  (epsilon {epsilon:.6g})")

start = time.perf_counter()
noise = dp_accounting.calibrate_dp_mechanism(PLDAccountant, lambda x: event(x, 1000), 4.0, 1e-6, tol=1e-6)
print(f"dp_accounting, the same             {1e3 * (time.perf_counter() - start):10.2f} ms  (noise {noise:.6g})")
