"""The way into the library: calls that raise, texts, threads, and what a fork does to them."""
from __future__ import annotations

import os
from _thread import allocate_lock
from . import errors

TYPE_CHECKING = False  # typing's own would be the dearest import of all
if TYPE_CHECKING:
    from typing import Any

try:
    from ._sotto import ffi as ffi
    from ._sotto import lib as lib
except ImportError as problem:  # pragma: no cover - a broken installation
    raise ImportError(f"the extension of sotto cannot be loaded: {problem}. The wheel needs Linux on x86-64 with "
                      "glibc 2.36 or newer, and Python 3.11 or newer") from problem

if not lib.sotto_py_processor():
    raise ImportError("sotto needs a processor of the level x86-64-v2 (SSE4.2 and POPCNT, as since 2009), as numpy does")

NULL = ffi.NULL
_STATUS: dict[int, str] = {value: name.removeprefix("SOTTO_") for value, name in
                           ffi.typeof("sotto_status").elements.items()}

_lock = allocate_lock()
_running = 0
_used = False
_forked = False


def _after_fork() -> None:
    global _forked, _lock, _running
    _lock, _running = allocate_lock(), 0
    _forked = _used


os.register_at_fork(after_in_child=_after_fork)


class working:
    """Around each call into the library: counts the calls at work, and refuses them where a fork took the threads."""

    def __enter__(self) -> None:
        global _running, _used
        if _forked:
            raise errors.ForkedProcess(
                "sotto was used before this process was forked, and its threads are gone here: start the process with "
                "multiprocessing.get_context('spawn'), or use sotto in the child alone")
        with _lock:
            _running += 1
            _used = True

    def __exit__(self, *_: object) -> None:
        global _running
        with _lock:
            _running -= 1


def failure(status: int, err: Any) -> errors.Error:
    """The exception of a status and the library's text."""
    name = _STATUS.get(status, "INVALID")
    text = ffi.string(err.text).decode("utf-8", "replace") or ffi.string(lib.sotto_status_text(status)).decode()
    if name == "REFUSED" and err.limit > 0:
        return errors.BudgetExceeded(text, err.spent, err.asked, err.limit)
    return errors.BY_STATUS.get(name, errors.Error)(text)


def call(function: Any, *arguments: Any) -> None:
    """Calls a function that takes a sotto_error last, and raises what it reports. The interpreter's lock is released
    meanwhile."""
    err = ffi.new("sotto_error *")
    with working():
        status = function(*arguments, err)
    if status != lib.SOTTO_OK:
        raise failure(status, err)


def text(pointer: Any) -> str:
    """A zero-terminated text of the library; empty for NULL."""
    return "" if pointer == NULL else str(ffi.string(pointer).decode("utf-8", "replace"))


def encoded(value: Any, what: str) -> bytes:
    """Text for the library."""
    try:
        out = os.fsencode(value)
    except (TypeError, UnicodeError) as problem:
        raise errors.InvalidArgument(f"{what}: a text or a path is wanted, not {type(value).__name__}") from problem
    if b"\0" in out:
        raise errors.InvalidArgument(f"{what}: a text cannot have a zero character")
    return out


def real(value: Any, what: str) -> float:
    """A number as a float."""
    if isinstance(value, (str, bytes)):
        raise errors.InvalidArgument(f"{what}: a number is wanted, not {type(value).__name__}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as problem:
        raise errors.InvalidArgument(f"{what}: a number is wanted, not {type(value).__name__}") from problem


def whole(value: Any, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number in a range."""
    try:
        out = value.__index__()
    except (AttributeError, TypeError) as problem:
        if isinstance(value, float) and value.is_integer():
            out = int(value)
        else:
            raise errors.InvalidArgument(f"{what}: a whole number is wanted, not {value!r:.60}") from problem
    if not least <= out <= most:
        raise errors.OutOfRange(f"{what}: {out} is not in {least} to {most}")
    return int(out)


def chosen(value: Any, table: Any, what: str) -> Any:
    """What a name stands for in a table."""
    if not isinstance(value, str) or value not in table:
        raise errors.NotFound(f"{what}: {value!r:.60} is none of {', '.join(table)}")
    return table[value]


def listed(value: Any, what: str) -> Any:
    """A sequence as it is."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__getitem__") or not hasattr(value, "__len__") or \
            hasattr(value, "keys") or getattr(value, "ndim", 1) == 0:
        raise errors.InvalidArgument(f"{what}: a list is wanted, not {type(value).__name__}")
    return value


def is_list(value: Any) -> bool:
    """Is it a list or a tuple? What is in one is looked at later, so no type is narrowed."""
    return isinstance(value, (list, tuple))


def version() -> str:
    """Version of the library."""
    return text(lib.sotto_version())


def kernels() -> str:
    """Which kernels run on this machine: "avx512", "avx2" or "plain"."""
    return text(lib.sotto_kernels())


def set_threads(threads: int) -> None:
    """Sets the threads of the process; results never depend on them.

    Parameters
    ----------
    threads : int
        1 to 256, or 0 for one a core.

    Raises
    ------
    Busy
        Another call of sotto is at work.
    OutOfRange
        More than 256.

    Examples
    --------
    >>> import sotto
    >>> sotto.set_threads(2)
    >>> sotto.get_threads()
    2
    """
    global _running, _used
    wanted = whole(threads, "threads", 0, 2**32 - 1)
    if _forked:
        with working():
            pass
    err = ffi.new("sotto_error *")
    with _lock:  # no call can begin before this one ends
        if _running:
            raise errors.Busy("threads: another call of sotto is at work; set them before it")
        _used = True
        status = lib.sotto_threads_set(wanted, err)
    if status != lib.SOTTO_OK:
        raise failure(status, err)


def get_threads() -> int:
    """Threads of the process."""
    return int(lib.sotto_threads())
