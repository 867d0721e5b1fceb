#!/usr/bin/env python3
"""A share times public integers by CrypTen, one party: its product over the ring of 64-bit integers; the best of three."""
import os
import sys
import time
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peer
import torch


def shares():
    registration = "torch.onnx._internal.registration"
    if not hasattr(torch.onnx, "symbolic_registry") and registration not in sys.modules:
        # Its neural networks import what newer PyTorch has no more; the product reads none of it.
        sys.modules[registration] = types.ModuleType(registration)
        sys.modules[registration].registry = None
    import crypten
    from crypten.mpc.primitives import ArithmeticSharedTensor
    torch.set_num_threads(1)
    crypten.init()
    return ArithmeticSharedTensor


def product(size, rounds=3):
    """Seconds of a product of size x size integers."""
    shared = shares()
    a, b = (torch.randint(-2**62, 2**62, (size, size)) for _ in range(2))
    share = shared.from_shares(a, precision=0)
    fastest = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        share.matmul(b)
        fastest = min(fastest, time.perf_counter() - begin)
    return fastest


def work(job):
    seconds = product(job["options"]["size"])
    return {"wall_s": seconds, "cpu_s": seconds, "items": 1}


if __name__ == "__main__":
    peer.main(work, "crypten")
