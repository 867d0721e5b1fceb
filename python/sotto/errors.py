"""Exceptions, one for each kind of failure that the library knows. Their text is the library's."""
from __future__ import annotations

import sys


class Error(Exception):
    """Base of all exceptions of this package; `status` is the library's name of the kind."""

    status = "ERROR"


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""

    status = "NOMEM"


class InvalidArgument(Error, ValueError):
    """An argument is not valid, or does not fit the others."""

    status = "INVALID"


class OutOfRange(Error, ValueError):
    """A value is out of its range."""

    status = "RANGE"


class ParseError(Error, ValueError):
    """A file or a text is malformed."""

    status = "PARSE"


class CorruptData(Error, ValueError):
    """A checksum or an invariant of stored data does not hold."""

    status = "CORRUPT"


class IOFailure(Error, OSError):
    """Reading or writing failed."""

    status = "IO"


class NotFound(Error, LookupError):
    """Nothing has that name."""

    status = "NOT_FOUND"


class Unsupported(Error, NotImplementedError):
    """Known, but not offered here."""

    status = "UNSUPPORTED"


class BudgetExceeded(Error):
    """A release would pass the privacy budget; nothing was released and nothing was charged.

    Attributes
    ----------
    spent : float or None
        Epsilon that the account has spent, at the budget's delta.
    asked : float or None
        Epsilon that would be spent with the releases that were asked for.
    limit : float or None
        The budget. All three are None where a run is refused for another reason: a closed account, or a run that
        protects less than the budget asks for.
    """

    status = "REFUSED"

    def __init__(self, text: str = "", spent: float | None = None, asked: float | None = None,
                 limit: float | None = None) -> None:
        super().__init__(text)
        self.spent, self.asked, self.limit = spent, asked, limit


class ProtocolError(Error, ConnectionError):
    """Another party broke the protocol, is gone, or has other terms."""

    status = "PROTOCOL"


class NotFinite(Error, ArithmeticError, ValueError):
    """A value is not finite."""

    status = "NUMERIC"


class Interrupted(Error):
    """The call was stopped on request; a run with a folder of its own can be resumed."""

    status = "INTERRUPTED"


class NotFitted(Error, ValueError, AttributeError):
    """The estimator was not fitted yet."""

    status = "INVALID"


def not_fitted(text: str) -> NotFitted:
    """The exception, which is scikit-learn's NotFittedError too where that is loaded."""
    loaded = sys.modules.get("sklearn.exceptions")
    if loaded is None:
        return NotFitted(text)
    kind: type[NotFitted] = type("NotFitted", (NotFitted, loaded.NotFittedError), {})
    return kind(text)


class Closed(Error, ValueError):
    """The object was closed."""

    status = "INVALID"


class Busy(Error, RuntimeError):
    """The object is at work in another call."""

    status = "INVALID"


class ForkedProcess(Error, RuntimeError):
    """The library was used before this process was forked, so that its threads are gone here."""

    status = "UNSUPPORTED"


BY_STATUS: dict[str, type[Error]] = {
    kind.status: kind
    for kind in (OutOfMemory, InvalidArgument, OutOfRange, ParseError, CorruptData, IOFailure, NotFound, Unsupported,
                 BudgetExceeded, ProtocolError, NotFinite, Interrupted)
}
