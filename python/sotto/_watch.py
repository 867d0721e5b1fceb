"""Long calls: they run without the interpreter's lock, report progress, and stop on Ctrl-C."""
from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._core import NULL, ffi, lib

log = logging.getLogger("sotto")
Result = TypeVar("Result")
Listener = Callable[[dict[str, Any]], None]


class Watch:
    """An observer of the library, with a stop flag that is read without the interpreter's lock."""

    def __init__(self, listen: Listener | None = None) -> None:
        self._handle = ffi.new_handle(self)
        self._flag = ffi.new("sotto_py_watch *")
        self._flag.handle = self._handle
        self.observer = ffi.new("sotto_observer *")
        self.observer.context = self._flag
        self.observer.cancelled = ffi.addressof(lib, "sotto_py_cancelled")
        self.observer.progress = lib.sotto_py_progress
        self.observer.log = lib.sotto_py_log
        self.observer.event = lib.sotto_py_event
        self.listen = listen
        self.failure: BaseException | None = None

    def stop(self) -> None:
        """Makes the call return soon."""
        lib.sotto_py_stop(self._flag)

    def tell(self, event: dict[str, Any]) -> None:
        """Passes an event on; what the listener raises stops the call."""
        if self.listen is None or self.failure is not None:
            return
        try:
            self.listen(event)
        except BaseException as problem:  # raised again by `run`
            self.failure = problem
            self.stop()

    def run(self, work: Callable[[], Result]) -> Result:
        """Runs `work` in a thread of its own and waits. KeyboardInterrupt reaches the waiting thread at once, stops
        the work, and is raised when that has ended."""
        out: list[Result] = []
        failed: list[BaseException] = []
        done = threading.Event()

        def body() -> None:
            lib.sotto_cancelled_by(self.observer)  # also of calls that take no observer
            try:
                out.append(work())
            except BaseException as problem:  # raised again below
                failed.append(problem)
            finally:
                lib.sotto_cancelled_by(NULL)
                done.set()

        worker = threading.Thread(target=body, name="sotto", daemon=True)
        worker.start()
        stopped: BaseException | None = None
        while True:
            try:
                done.wait()
                break
            except BaseException as problem:  # KeyboardInterrupt, or what another signal handler raises
                stopped = stopped or problem
                self.stop()
        worker.join()
        raised = stopped or self.failure or (failed[0] if failed else None)
        failed.clear()  # an exception and the frame that it was stored in would keep each other, and the run
        if raised is not None:
            try:
                raise raised
            finally:
                del raised, stopped
        return out[0]


def patiently(work: Callable[[], Result]) -> Result:
    """Runs calls that may take long and report nothing; Ctrl-C stops them."""
    return Watch().run(work)


def _watch_of(context: Any) -> Watch:
    found: Watch = ffi.from_handle(ffi.cast("sotto_py_watch *", context).handle)
    return found


@ffi.def_extern()  # type: ignore[untyped-decorator]
def sotto_py_progress(context: Any, stage: Any, done: int, total: int, note: Any) -> None:
    _watch_of(context).tell({"kind": "progress", "stage": _core.text(stage), "done": int(done), "total": int(total),
                             "note": _core.text(note)})


@ffi.def_extern()  # type: ignore[untyped-decorator]
def sotto_py_log(context: Any, level: int, line: Any) -> None:
    log.log(logging.WARNING if level == lib.SOTTO_LOG_WARNING else logging.INFO, "%s", _core.text(line))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def sotto_py_event(context: Any, event: Any) -> None:
    if event.text != NULL:
        log.info("%s", _core.text(event.text))
    out: dict[str, Any] = {"kind": _core.text(lib.sotto_event_name(event.kind))}
    for name in ("text", "peer", "address", "version", "stage", "payload"):
        if getattr(event, name) != NULL:
            out[name] = _core.text(getattr(event, name))
    if event.kind == lib.SOTTO_EVENT_EPOCH:
        out.update(done=int(event.done), total=int(event.total), loss=event.loss, validation=event.validation)
    elif event.kind == lib.SOTTO_EVENT_SPENT:
        out.update(epsilon=event.epsilon, delta=event.delta, budget=event.budget or None)
    elif event.kind == lib.SOTTO_EVENT_PLANNED:
        out.update(epsilon=event.epsilon, delta=event.delta)
    elif event.kind == lib.SOTTO_EVENT_PAYLOAD:
        out.update(sent=int(event.sent), received=int(event.received), done=int(event.done), total=int(event.total))
    elif event.kind == lib.SOTTO_EVENT_WAITING:
        out.update(seconds=event.seconds)
    _watch_of(context).tell(out)


class Bar:
    """Progress by tqdm."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm, self._stage = tqdm, ""
        self._bar: Any = None

    def __call__(self, event: dict[str, Any]) -> None:
        if event["kind"] != "progress" or not event["total"]:
            return
        if self._bar is None or event["stage"] != self._stage:
            self.close()
            self._bar, self._stage = self._tqdm(total=event["total"], desc=event["stage"]), event["stage"]
        self._bar.update(event["done"] - self._bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def bar(wanted: bool | None) -> Bar | None:
    """A bar where it is wanted; None asks for one on a terminal where tqdm is there."""
    import sys
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        if wanted:
            log.warning("progress: tqdm is not installed")
        return None
    return Bar(tqdm)
