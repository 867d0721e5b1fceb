#!/usr/bin/env python3
"""The table of tests/dp/test_account_extreme.c, by a program that shares no code with the library.

Needs mpmath and numpy. Each line is a mechanism, delta, the least epsilon, and how far that is known (relative).
delta(epsilon) is written out from the two densities: closed forms and sums in 60 digits, sums over a grid for
two runs, and Monte Carlo for many runs of a sampled Gaussian (the error is five standard deviations)."""
import itertools
import math

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def above(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def solve(delta_of, delta, high):
    """The least epsilon >= 0 with delta_of(epsilon) <= delta, below `high`."""
    low, high, delta = mp.mpf(0), mp.mpf(high), mp.mpf(delta)
    if delta_of(low) <= delta:
        return low
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def gaussian(mu, delta):
    mu = mp.mpf(mu)
    return solve(lambda e: above(e / mu - mu / 2) - mp.exp(e) * above(e / mu + mu / 2), delta,
                 mu * mu / 2 + mu * mp.sqrt(-2 * mp.log(delta)) + 1)


def contractive(noise, layers, lipschitz, delta):
    k, power = mp.mpf(lipschitz), mp.mpf(lipschitz) ** layers
    return gaussian(mp.sqrt((1 - power) / (1 + power) * (1 + k) / (1 - k)) / mp.mpf(noise), delta)


def of_atoms(atoms, delta):
    """atoms: (mass under P, mass under Q)."""
    losses = max(mp.log(p / q) for p, q in atoms if p > 0)
    return solve(lambda e: mp.fsum(p - mp.exp(e) * q for p, q in atoms if p > mp.exp(e) * q), delta, losses + 1)


def response(epsilon, choices, runs, delta):
    """Sums over how many answers were the truth's, the other's, and neither's; far tails are left out."""
    e = mp.exp(mp.mpf(epsilon))
    whole = e + choices - 1
    p = [e / whole, 1 / whole, (choices - 2) / whole]
    atoms = {}
    for neither in range(runs + 1 if choices > 2 else 1):
        for told in range(runs - neither + 1):
            other = runs - neither - told
            log_p = (mp.loggamma(runs + 1) - mp.loggamma(told + 1) - mp.loggamma(other + 1)
                     - mp.loggamma(neither + 1) + told * mp.log(p[0]) + other * mp.log(p[1])
                     + (neither * mp.log(p[2]) if neither else 0))
            atoms[told - other] = atoms.get(told - other, 0) + mp.exp(log_p)
    return of_atoms([(mass, mass * mp.exp(-difference * mp.mpf(epsilon)))
                     for difference, mass in atoms.items()], delta)


def discrete(sigma, sensitivity, runs, delta, reach):
    sigma = mp.mpf(sigma)
    weight = {x: mp.exp(-mp.mpf(x) ** 2 / (2 * sigma ** 2)) for x in range(-2 * reach, 2 * reach + 1)}
    whole = mp.fsum(weight.values())
    single = [(weight[x] / whole, weight[x + sensitivity] / whole) for x in range(-reach, reach + 1)]
    atoms = {}
    for picks in itertools.product(range(-reach, reach + 1), repeat=runs):
        p = q = mp.mpf(1)
        for x in picks:
            p, q = p * single[x + reach][0], q * single[x + reach][1]
        old = atoms.get(sum(picks), (0, 0))
        atoms[sum(picks)] = (old[0] + p, old[1] + q)
    return of_atoms(list(atoms.values()), delta)


def laplace(noise, delta):
    return 1 / mp.mpf(noise) + 2 * mp.log(1 - mp.mpf(delta))


def mixtures(rate, sigma, replaced):
    q, s = mp.mpf(rate), mp.mpf(sigma)
    p = lambda c: (1 - q) * above(c / s) + q * above((c - 1) / s)
    r = (lambda c: (1 - q) * above(c / s) + q * above((c + 1) / s)) if replaced else (lambda c: above(c / s))

    def loss(x):
        up = mp.log(1 - q + q * mp.exp((2 * x - 1) / (2 * s * s)))
        return up - mp.log(1 - q + q * mp.exp((-2 * x - 1) / (2 * s * s))) if replaced else up

    return p, r, loss


def sampled_once(rate, sigma, replaced, delta, both):
    p, r, loss = mixtures(rate, sigma, replaced)
    q, s = mp.mpf(rate), mp.mpf(sigma)

    def threshold(e):
        low, high = mp.mpf(-60) * s - 2, mp.mpf(60) * s + 2 + e * s * s
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if loss(middle) < e else (low, middle)
        return high

    found = solve(lambda e: p(threshold(e)) - mp.exp(e) * r(threshold(e)), delta, 2 * (40 / s + 1 / (s * s)))
    if not both or not rate < 1:
        return found
    most = -mp.log(1 - q)

    def backward(e):  # N(0) against the mixture: x below where its loss is -e
        if e >= most:
            return mp.mpf(0)
        c = s * s * mp.log((mp.exp(-e) - 1 + q) / q) + mp.mpf(1) / 2
        return 1 - r(c) - mp.exp(e) * (1 - p(c))

    return max(found, solve(backward, delta, most))


def sampled_twice(rate, sigma, replaced, delta):
    """Two runs, by a grid over both outputs."""
    step = sigma / 90
    x = np.arange(-9 * sigma - 1, 9 * sigma + 1 + step, step)
    bell = lambda c: np.exp(-(x - c) ** 2 / (2 * sigma ** 2)) * step / (sigma * math.sqrt(2 * math.pi))
    p = (1 - rate) * bell(0) + rate * bell(1)
    q = (1 - rate) * bell(0) + rate * bell(-1) if replaced else bell(0)
    keep = p > 1e-40
    with np.errstate(divide="ignore"):
        loss, p = np.log(p[keep]) - np.log(np.maximum(q[keep], 1e-320)), p[keep]
    order = np.argsort(loss)
    loss, p = loss[order], p[order]

    def delta_of(e):
        return sum(p[i] * np.sum(p * np.maximum(0, -np.expm1(e - l - loss))) for i, l in enumerate(loss))

    low, high = 0.0, 2 * float(loss[-1])
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def sampled_often(rate, sigma, replaced, runs, delta, draws=2_000_000):
    """Monte Carlo over the number of runs that hold the record; where they do not, the loss is taken at the
    output 0, which is exact to e^-100 at the noise used here."""
    rng = np.random.default_rng(20260)
    none = 0.0 if replaced else math.log1p(-rate)
    hits = rng.binomial(runs, rate, draws)
    total = none * (runs - hits).astype(float)
    for turn in range(int(hits.max())):
        on = hits > turn
        x = 1 + sigma * rng.standard_normal(int(on.sum()))
        up = math.log(rate) + (2 * x - 1) / (2 * sigma ** 2)
        total[on] += np.logaddexp(math.log1p(-rate), up) - (
            np.logaddexp(math.log1p(-rate), math.log(rate) + (-2 * x - 1) / (2 * sigma ** 2)) if replaced else 0)

    def at(delta):
        low, high = 0.0, float(total.max())
        for _ in range(60):
            middle = (low + high) / 2
            value = np.mean(np.maximum(0, -np.expm1(np.minimum(0, middle - total))))
            low, high = (middle, high) if value > delta else (low, middle)
        return high

    error = 5 * math.sqrt(delta / draws)
    return at(delta), (at(delta - error) - at(delta + error)) / at(delta)


def lines():
    for noise, runs, delta in [(.002, 1, 1e-6), (.0011, 1, 1e-12), (1000, 10 ** 7, 1e-6), (1e6, 10 ** 7, 1e-3),
                               (1e6, 1, 1e-9), (5, 100, 1e-90), (.01, 1, .1), (.05, 10 ** 6, 1e-5)]:
        yield f"gaussian noise={noise} count={runs}", delta, gaussian(mp.sqrt(runs) / mp.mpf(noise), delta), 0
    yield "contractive noise=0.01 layers=50 lipschitz=0.9", 1e-5, contractive(.01, 50, .9, 1e-5), 0
    for epsilon, choices, runs, delta in [(600, 2, 3, 1e-6), (40, 2, 5, 1e-9), (.01, 10, 60, 1e-9),
                                          (1e-3, 2, 2000, 1e-4), (300, 7, 4, 1e-30)]:
        yield (f"randomized-response epsilon={epsilon} choices={choices} count={runs}", delta,
               response(epsilon, choices, runs, delta), 0)
    yield "multibit epsilon=5 sampled=10 count=10", 1e-6, response(.5, 2, 100, 1e-6), 0
    for noise, delta in [(.001, 1e-3), (.5, 1e-9), (1e5, 1e-7)]:
        yield f"laplace noise={noise}", delta, laplace(noise, delta), 0
    for sigma, sensitivity, runs, delta, reach in [(.02, 1, 3, 1e-6, 3), (.3, 1, 1, 1e-5, 9), (.25, 3, 1, 1e-9, 12),
                                                   (.5, 1, 2, 1e-8, 12), (.1, 1, 4, 1e-3, 3), (3, 1, 2, 1e-6, 40)]:
        yield (f"discrete-gaussian noise={sigma} sensitivity={sensitivity} count={runs}", delta,
               discrete(sigma, sensitivity, runs, delta, reach), 0)
    for rate, sigma, delta in [(.01, .02, .005), (1e-6, .05, 1e-7), (.5, .001, 1e-5), (.9, .3, 1e-10)]:
        yield (f"subsampled-gaussian rate={rate} noise={sigma}", delta,
               sampled_once(rate, sigma, False, delta, True), 0)
    for rate, sigma, delta in [(.01, .02, .005), (.25, .06, 1e-5), (.999, .01, 1e-20), (1e-5, .1, 1e-6)]:
        yield (f"replaced-gaussian rate={rate} noise={sigma}", delta,
               sampled_once(rate, sigma, True, delta, False), 0)
    for batch, sigma, delta in [(100, .02, .005), (5000, .004, 1e-5)]:
        yield (f"subsampled-gaussian population=10000 batch={batch} noise={sigma}", delta,
               sampled_once(batch / 10000, sigma, False, delta, False), 0)
    for rate, sigma, replaced, delta in [(.1, .3, False, 1e-5), (.02, .15, True, 1e-4)]:
        kind = "replaced" if replaced else "subsampled"
        yield f"{kind}-gaussian rate={rate} noise={sigma} count=2", delta, sampled_twice(rate, sigma, replaced, delta), 1e-4
    for rate, sigma, replaced, runs, delta in [(.01, .02, False, 100, .01), (.01, .02, True, 100, .01),
                                               (.25, .06, True, 400, .01), (1e-4, .05, False, 10 ** 6, .01),
                                               (1e-3, .03, True, 10 ** 4, .05)]:
        kind = "replaced" if replaced else "subsampled"
        epsilon, error = sampled_often(rate, sigma, replaced, runs, delta)
        yield f"{kind}-gaussian rate={rate} noise={sigma} count={runs}", delta, epsilon, error


if __name__ == "__main__":
    for text, delta, epsilon, error in lines():
        print(f'    {{"{text}", {delta!r}, {float(epsilon):.15g}, {error:.1e}}},', flush=True)
