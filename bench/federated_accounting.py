#!/usr/bin/env python3
"""The same noise in the sums of a federation, as Opacus and Flower account for it and as sotto does.

    python3 -m venv scratch && scratch/bin/pip install dp-accounting && scratch/bin/pip install --no-deps opacus
    SOTTO=build/sotto scratch/bin/python bench/federated_accounting.py

Both account for adding or removing one example (Flower: one client) under Gaussian noise. `fedavg` at node level replaces
one, which costs more, and its noise is discrete: the last column.
"""
import importlib.util
import os
import subprocess

DELTA = 1e-6
ROWS = [(0.01, 1000, 1.0), (0.05, 300, 1.5), (0.1, 200, 2.2), (0.25, 100, 3.5), (0.25, 400, 7.2), (1.0, 20, 20.0)]


def opacus_rdp(rate, steps, noise):
    """Opacus's RDP accountant by its file: the package itself would import PyTorch."""
    found = importlib.util.find_spec("opacus")
    if found is None:
        return float("nan")
    path = os.path.join(os.path.dirname(found.origin), "accountants", "analysis", "rdp.py")
    spec = importlib.util.spec_from_file_location("opacus_rdp", path)
    rdp = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rdp)
    orders = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))
    spent = rdp.compute_rdp(q=rate, noise_multiplier=noise, steps=steps, orders=orders)
    return rdp.get_privacy_spent(orders=orders, rdp=spent, delta=DELTA)[0]


def flower_rdp(rate, steps, noise):
    """What Flower's RdpAccountant (flwr 1.42) asks of dp-accounting."""
    try:
        import dp_accounting
        from dp_accounting.rdp import RdpAccountant
    except ImportError:
        return float("nan")
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise))
    return RdpAccountant().compose(event, steps).get_epsilon(DELTA)


def sotto(mechanism, rate, steps, noise, accountant):
    command = [os.environ.get("SOTTO", "build/sotto"), "account", mechanism, "--noise", str(noise), "--rate", str(rate),
               "--count", str(steps), "--delta", str(DELTA), "--accountant", accountant]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(said.split()[1])


def main():
    print("| rate | rounds | noise / clip | Opacus, rdp | Flower, rdp | sotto, rdp | sotto, pld | sotto, replace-one: `poisson-sum` | `replaced-gaussian` |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rate, steps, noise in ROWS:
        cells = [opacus_rdp(rate, steps, noise), flower_rdp(rate, steps, noise)]
        cells += [sotto("subsampled-gaussian", rate, steps, noise, a) for a in ("rdp", "pld")]
        cells.append(sotto("poisson-sum", rate, steps, noise, "rdp"))
        cells.append(sotto("replaced-gaussian", rate, steps, noise, "pld"))
        print(f"| {rate} | {steps} | {noise} | " + " | ".join(f"{c:.3f}" for c in cells) + " |")


if __name__ == "__main__":
    main()
