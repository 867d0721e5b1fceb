"""numpy's int64 product, for bench_ring's table: thousand million multiply-adds a second, best of three."""
import sys
import time

import numpy

rows, inner, cols = (int(word) for word in (sys.argv[1:4] or (512, 512, 512)))
random = numpy.random.default_rng(1)
a = random.integers(-2**62, 2**62, (rows, inner))
b = random.integers(-2**62, 2**62, (inner, cols))
best = 1e9
for _ in range(3):
    start = time.perf_counter()
    a @ b
    best = min(best, time.perf_counter() - start)
print(f"  numpy {numpy.__version__} int64: {rows * inner * cols / best / 1e9:.2f}")
