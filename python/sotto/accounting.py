"""The accountant: events in, epsilon and delta out. Names follow Google's dp-accounting.

Events are described by numbers alone. Adjacency is that of the caller's sensitivities, except under sampling: Poisson
sampling is accounted for add-or-remove-one, sampling without replacement for replace-one. Amplification by sampling
holds only if the receiver cannot see the sample.

Examples
--------
>>> from sotto import accounting as a
>>> event = a.SelfComposedDpEvent(a.PoissonSampledDpEvent(0.01, a.GaussianDpEvent(1.0)), 1000)
>>> round(a.epsilon(event, 1e-5), 3)
1.828
>>> round(a.gdp_epsilon(1.0, 1e-5), 4)
4.3772
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _arrays, _core, errors
from ._core import ffi, lib
from ._watch import patiently


@dataclass(frozen=True)
class DpEvent:
    """Base of all events."""


@dataclass(frozen=True)
class NoOpDpEvent(DpEvent):
    """Nothing is released."""


@dataclass(frozen=True)
class GaussianDpEvent(DpEvent):
    """Gaussian noise with a standard deviation of `noise_multiplier` times the l2 sensitivity."""

    noise_multiplier: float


@dataclass(frozen=True)
class DiscreteGaussianDpEvent(DpEvent):
    """Discrete Gaussian noise on whole numbers that move by `sensitivity` (Canonne, Kamath and Steinke 2020)."""

    noise: float
    sensitivity: int = 1


@dataclass(frozen=True)
class LaplaceDpEvent(DpEvent):
    """Laplace noise with a scale of `noise_multiplier` times the l1 sensitivity."""

    noise_multiplier: float


@dataclass(frozen=True)
class RandomizedResponseDpEvent(DpEvent):
    """One value of `num_buckets`, replaced with probability `noise_parameter` by one drawn from all of them."""

    noise_parameter: float
    num_buckets: int


@dataclass(frozen=True)
class ContractiveDpEvent(DpEvent):
    """`layers` noisy contractive layers, hidden but for the last (Caribou)."""

    noise_multiplier: float
    layers: int
    lipschitz: float


@dataclass(frozen=True)
class PoissonSampledDpEvent(DpEvent):
    """A Gaussian event on a sample that each record joins with `sampling_probability`."""

    sampling_probability: float
    event: DpEvent


@dataclass(frozen=True)
class SampledWithoutReplacementDpEvent(DpEvent):
    """A Gaussian event on `sample_size` records of `source_dataset_size`, drawn without replacement."""

    source_dataset_size: int
    sample_size: int
    event: DpEvent


@dataclass(frozen=True)
class SelfComposedDpEvent(DpEvent):
    """An event `count` times."""

    event: DpEvent
    count: int


@dataclass(frozen=True)
class ComposedDpEvent(DpEvent):
    """Several events, one after the other."""

    events: Sequence[DpEvent]


@dataclass(frozen=True)
class MechanismDpEvent(DpEvent):
    """Any mechanism of the library: the name and the numbers of a line of `sotto account`, such as
    ``MechanismDpEvent("poisson-sum", {"noise": 4, "rate": 0.1})``."""

    mechanism: str
    numbers: dict[str, float]


Events = DpEvent | Sequence[DpEvent]
_Row = tuple[str, dict[str, float]]


def _sampled(event: DpEvent, **numbers: float) -> list[_Row]:
    if not isinstance(event, GaussianDpEvent):
        raise errors.Unsupported(f"a sample of {type(event).__name__}: only Gaussian events are accounted for under "
                                 "sampling")
    return [("subsampled-gaussian", {"noise": event.noise_multiplier, **numbers})]


def _rows(event: Any) -> list[_Row]:
    if isinstance(event, NoOpDpEvent):
        return []
    if isinstance(event, GaussianDpEvent):
        return [("gaussian", {"noise": event.noise_multiplier})]
    if isinstance(event, DiscreteGaussianDpEvent):
        return [("discrete-gaussian", {"noise": event.noise, "sensitivity": event.sensitivity})]
    if isinstance(event, LaplaceDpEvent):
        return [("laplace", {"noise": event.noise_multiplier})]
    if isinstance(event, RandomizedResponseDpEvent):
        buckets = _core.whole(event.num_buckets, "num_buckets", 2, 2**63)
        flip = _core.real(event.noise_parameter, "noise_parameter") * (buckets - 1) / buckets
        return [("randomized-response", {"noise": flip, "choices": buckets})]
    if isinstance(event, ContractiveDpEvent):
        return [("contractive", {"noise": event.noise_multiplier, "layers": event.layers,
                                 "lipschitz": event.lipschitz})]
    if isinstance(event, PoissonSampledDpEvent):
        return _sampled(event.event, rate=event.sampling_probability)
    if isinstance(event, SampledWithoutReplacementDpEvent):
        return _sampled(event.event, population=event.source_dataset_size, batch=event.sample_size)
    if isinstance(event, SelfComposedDpEvent):
        times = _core.whole(event.count, "count", 0, 2**62)
        return [(kind, {**numbers, "count": times * int(numbers.get("count", 1))})
                for kind, numbers in _rows(event.event) if times]
    if isinstance(event, ComposedDpEvent):
        return [row for one in _listed(event.events) for row in _rows(one)]
    if isinstance(event, MechanismDpEvent):
        if not isinstance(event.numbers, dict):
            raise errors.InvalidArgument("numbers: a dict of names and numbers is wanted")
        return [(event.mechanism, dict(event.numbers))]
    raise errors.InvalidArgument(f"events: an event is wanted, not {type(event).__name__}")


def _mechanisms(events: Events) -> tuple[Any, int]:
    rows = _rows(events if isinstance(events, DpEvent) else ComposedDpEvent(list(_listed(events))))
    out = ffi.new("sotto_mechanism[]", max(len(rows), 1))
    fields = dict(ffi.typeof("sotto_mechanism").fields)
    for at, (kind, numbers) in enumerate(rows):
        found = ffi.new("sotto_mechanism_kind *")
        _core.call(lib.sotto_mechanism_from_name, found, _core.encoded(kind, "mechanism"))
        out[at] = lib.sotto_mechanism_default(found[0])
        for name, value in numbers.items():
            if name not in fields or name == "kind":
                raise errors.NotFound(f"{kind}: {name!r} is none of its numbers")
            if fields[name].type.cname == "double":
                setattr(out[at], name, _core.real(value, name))
            else:
                setattr(out[at], name, _core.whole(value, name, 0, 2**64 - 1))
    return out, len(rows)


def _listed(events: Any) -> Sequence[DpEvent]:
    if not _core.is_list(events):
        raise errors.InvalidArgument(f"events: an event or a list of events is wanted, not {type(events).__name__}")
    return events  # type: ignore[no-any-return]


def _accountant(name: str) -> Any:
    out = ffi.new("sotto_accountant *")
    _core.call(lib.sotto_accountant_from_name, out, _core.encoded(name, "accountant"))
    return out[0]


def _over(values: Any, what: str, one: Any) -> Any:
    """Applies a function to a number, or to each of an array."""
    if isinstance(values, (int, float)):
        return one(float(values))
    np = _arrays.numpy()
    array = _arrays.plain(values, what) if not np.isscalar(values) else np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise errors.InvalidArgument(f"{what}: numbers are wanted, not {array.dtype}")
    if array.ndim == 0:
        return one(float(array))
    return np.array([one(float(value)) for value in array.reshape(-1)], dtype=np.float64).reshape(array.shape)


def epsilon(events: Events, delta: Any, accountant: str = "pld") -> Any:
    """The least epsilon that the accountant can show for all events together.

    Parameters
    ----------
    events : DpEvent or list of DpEvent
    delta : float or array
        Above 0 and below 1; 0 where every event is pure.
    accountant : {"pld", "rdp", "gdp"}, optional
        Privacy loss distributions, which never under-state; Renyi orders; exact for Gaussian and contractive events
        alone.

    Returns
    -------
    float or array
        Natural logarithm.

    Raises
    ------
    OutOfRange
        A number out of its range, or no finite epsilon.
    Unsupported
        The accountant has no form for an event.
    """
    rows, count = _mechanisms(events)
    how = _accountant(accountant)

    def one(value: float) -> float:
        if count == 0:
            return 0.0
        out = ffi.new("double *")
        _core.call(lib.sotto_account_epsilon, out, rows, count, value, how)
        return float(out[0])
    return patiently(lambda: _over(delta, "delta", one))


def delta(events: Events, epsilon: Any, accountant: str = "pld") -> Any:
    """The least delta that the accountant can show at `epsilon` (at least 0), a number or an array; arguments as
    the function `epsilon`."""
    rows, count = _mechanisms(events)
    how = _accountant(accountant)

    def one(value: float) -> float:
        if count == 0:
            return 0.0
        out = ffi.new("double *")
        _core.call(lib.sotto_account_delta, out, rows, count, value, how)
        return float(out[0])
    return patiently(lambda: _over(epsilon, "epsilon", one))


def noise(events: Sequence[DpEvent], which: int, epsilon: float, delta: float, accountant: str = "pld") -> float:
    """The least noise of ``events[which]``, in units of its sensitivity, at which all events together are
    (epsilon, delta)-private. The noise that it has is not read.

    Examples
    --------
    >>> from sotto import accounting as a
    >>> round(a.noise([a.GaussianDpEvent(0.0)], 0, epsilon=1.0, delta=1e-5), 3)
    3.731
    """
    rows, count = _mechanisms(events)
    place = _core.whole(which, "which", 0, max(count - 1, 0))
    out = ffi.new("double *")
    wanted, at = _core.real(epsilon, "epsilon"), _core.real(delta, "delta")
    how = _accountant(accountant)
    patiently(lambda: _core.call(lib.sotto_account_noise, out, rows, count, place, wanted, at, how))
    return float(out[0])


def steps(events: Sequence[DpEvent], which: int, epsilon: float, delta: float, accountant: str = "pld") -> int:
    """How many times ``events[which]`` may run so that all events together stay (epsilon, delta)-private; its own
    count is not read."""
    rows, count = _mechanisms(events)
    place = _core.whole(which, "which", 0, max(count - 1, 0))
    out = ffi.new("uint64_t *")
    wanted, at = _core.real(epsilon, "epsilon"), _core.real(delta, "delta")
    how = _accountant(accountant)
    patiently(lambda: _core.call(lib.sotto_account_steps, out, rows, count, place, wanted, at, how))
    return int(out[0])


def gdp_epsilon(mu: float, delta: Any) -> Any:
    """The least epsilon at which a mu-GDP release is (epsilon, delta)-private; `delta` may be an array."""
    def one(value: float) -> float:
        out = ffi.new("double *")
        _core.call(lib.sotto_gdp_epsilon, out, _core.real(mu, "mu"), value)
        return float(out[0])
    return _over(delta, "delta", one)


def gdp_delta(mu: float, epsilon: Any) -> Any:
    """delta of a mu-GDP release at `epsilon`, which may be an array (Dong, Roth and Su 2022)."""
    number = _core.real(mu, "mu")
    if not number >= 0:
        raise errors.OutOfRange("mu: at least 0 is wanted")

    def one(value: float) -> float:
        if not value >= 0:
            raise errors.OutOfRange("epsilon: at least 0 is wanted")
        return float(lib.sotto_gdp_delta(number, value))
    return _over(epsilon, "epsilon", one)


def gdp_mu(epsilon: float, delta: float) -> float:
    """The largest mu that stays (epsilon, delta)-private."""
    out = ffi.new("double *")
    _core.call(lib.sotto_gdp_mu, out, _core.real(epsilon, "epsilon"), _core.real(delta, "delta"))
    return float(out[0])


class Accountant:
    """Composes events one after the other, as the accountants of dp-accounting do.

    Parameters
    ----------
    kind : {"pld", "rdp", "gdp"}, optional

    Examples
    --------
    >>> from sotto import accounting as a
    >>> accountant = a.Accountant("gdp").compose(a.GaussianDpEvent(2.0), 4)
    >>> round(accountant.get_epsilon(1e-5), 4)
    4.3772
    """

    def __init__(self, kind: str = "pld") -> None:
        _accountant(kind)
        self.kind = kind
        self._events: list[DpEvent] = []

    def compose(self, event: DpEvent, count: int = 1) -> Accountant:
        """Adds an event `count` times; returns itself."""
        added = SelfComposedDpEvent(event, count)
        _rows(added)
        self._events.append(added)
        return self

    def get_epsilon(self, target_delta: Any) -> Any:
        """epsilon of all events at delta."""
        return epsilon(self._events, target_delta, self.kind)

    def get_delta(self, target_epsilon: Any) -> Any:
        """delta of all events at epsilon."""
        return delta(self._events, target_epsilon, self.kind)
