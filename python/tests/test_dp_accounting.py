"""Google's dp-accounting, where it answers: its optimistic and its pessimistic distribution have ours between them."""
import math
import random

import pytest

from sotto import accounting as a

pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

SEED = 20261
CASES = 60


def between(draw: random.Random, low: float, high: float) -> float:
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def one(draw: random.Random) -> tuple[a.DpEvent, object]:
    """An event of ours, and a function of theirs: optimistic or pessimistic."""
    kind = draw.choice(["gaussian", "sampled", "sampled", "laplace", "response", "discrete"])
    noise, rate = between(draw, 0.7, 50), between(draw, 1e-3, 1)
    if kind == "gaussian":
        return a.GaussianDpEvent(noise), lambda worst: pld.from_gaussian_mechanism(noise, pessimistic_estimate=worst)
    if kind == "sampled":
        return (a.PoissonSampledDpEvent(rate, a.GaussianDpEvent(noise)),
                lambda worst: pld.from_gaussian_mechanism(noise, pessimistic_estimate=worst, sampling_prob=rate))
    if kind == "laplace":
        return a.LaplaceDpEvent(noise), lambda worst: pld.from_laplace_mechanism(noise, pessimistic_estimate=worst)
    if kind == "response":
        flip, buckets = draw.uniform(0.05, 0.95), draw.randint(2, 12)
        return (a.RandomizedResponseDpEvent(flip, buckets),
                lambda worst: pld.from_randomized_response(flip, buckets, pessimistic_estimate=worst))
    return (a.DiscreteGaussianDpEvent(noise),
            lambda worst: pld.from_discrete_gaussian_mechanism(noise, pessimistic_estimate=worst))


@pytest.mark.parametrize("case", range(CASES))
def test_epsilon_lies_between_both_of_theirs(case: int) -> None:
    draw = random.Random(SEED + case)
    delta, events, theirs = between(draw, 1e-10, 1e-2), [], {False: None, True: None}
    for _ in range(draw.randint(1, 3)):
        event, make = one(draw)
        count = int(between(draw, 1, 60))
        events.append(a.SelfComposedDpEvent(event, count))
        for worst, sofar in theirs.items():
            part = make(worst).self_compose(count)
            theirs[worst] = part if sofar is None else sofar.compose(part)
    ours = a.epsilon(events, delta)
    low, high = (theirs[worst].get_epsilon_for_delta(delta) for worst in (False, True))
    loose = 1e-3 if ours > 0.3 else 0.07  # what the grid may add to small epsilons (`sotto/dp.h`)
    assert low * (1 - 1e-6) - 1e-9 <= ours <= high * (1 + loose) + 1e-6, (events, delta, low, ours, high)
    assert a.epsilon(events, delta, "rdp") >= low * (1 - 1e-6) - 1e-9
