"""A run of the library, and the model of one of its seeds: whose memory is whose, and one thread at a time."""
from __future__ import annotations

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from . import _arrays, _core, _options, errors
from ._core import NULL, ffi, lib
from ._watch import Watch
from .graph import Graph
from .schema import names_of


@contextmanager
def alone(lock: threading.Lock, what: str) -> Generator[None, None, None]:
    """Holds a lock that nobody waits for."""
    if not lock.acquire(blocking=False):
        raise errors.Busy(f"{what} is at work in another call; wait for it, or make another one")
    try:
        yield
    finally:
        lock.release()


class Run:
    """A sotto_run with its data, which it is freed before."""

    def __init__(self, method: str, settings: Mapping[str, Any], graph: Graph) -> None:
        self.graph = graph

        def free(run: Any, _keep: Any = graph) -> None:
            lib.sotto_run_free(run)

        out = ffi.new("sotto_run **")
        _core.call(lib.sotto_run_new, out)
        self._run = ffi.gc(out[0], free)
        self._set("method", method)
        table = _options.of_method(method)
        for name, value in settings.items():
            self._set(table[name].key, table[name].text_of(value))

    def _set(self, key: str, value: str) -> None:
        _core.call(lib.sotto_run_set, self._run, key.encode(), _core.encoded(value, key))

    def train(self, watch: Watch) -> None:
        """Trains, or goes on where it was stopped."""
        watch.run(lambda: _core.call(lib.sotto_run_train, self._run, self.graph._data, watch.observer))

    def option(self, key: str) -> str:
        """The value that an option was trained with."""
        out = ffi.new("char[1024]")
        _core.call(lib.sotto_run_get, self._run, out, len(out), key.encode())
        return _core.text(out)

    @property
    def seeds(self) -> int:
        """Trained seeds."""
        return int(lib.sotto_run_seeds(self._run))

    @property
    def folder(self) -> str:
        """The run folder."""
        return _core.text(lib.sotto_run_folder(self._run))

    @property
    def statement(self) -> str:
        """The statement as JSON."""
        return _core.text(lib.sotto_run_statement(self._run))

    @property
    def result(self) -> str:
        """The result as JSON."""
        return _core.text(lib.sotto_run_result(self._run))

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """A record an epoch and a seed."""
        return [json.loads(line) for line in _core.text(lib.sotto_run_metrics(self._run)).splitlines()]

    def model(self, seed: int) -> Model:
        """The model of one seed on the data of the run."""
        out = ffi.new("sotto_model **")
        _core.call(lib.sotto_run_model, self._run, out, seed)
        return Model(out[0], self)


class Night(NamedTuple):
    """Answers night after night: 0 stands for what is not given."""

    nights: int = 0
    edge_changes: int = 0
    night: int = 0


class Unseen(NamedTuple):
    """What other data have that the training had not, where columns have names.

    Attributes
    ----------
    nodes : int
        With a word that no feature stands for: all features of its category are 0.
    labels : int
        Of classes that the model does not have: they count as unknown.
    distinct : int
        How many such words and classes there are.
    words : str
        The first of them: NAME=WORD, or the name of a class.
    """

    nodes: int = 0
    labels: int = 0
    distinct: int = 0
    words: str = ""


class Model:
    """A sotto_model; `keep` is freed after it."""

    def __init__(self, model: Any, keep: Any) -> None:
        def free(pointer: Any, _keep: Any = keep) -> None:
            lib.sotto_model_free(pointer)
        self._model = ffi.gc(model, free)
        self._lock = threading.Lock()

    @classmethod
    def open(cls, folder: bytes, graph: Graph | None, *, seed: int | None = None, epsilon: float = 0.0,
             again: int = 0, fresh: bool = False, account: bytes | None = None, watch: Watch | None = None,
             night: Night | None = None) -> Model:
        """Opens a run folder; `graph` None: on the data that it was trained on."""
        watch = watch or Watch()
        options = ffi.new("sotto_model_options *")
        name = NULL if account is None else ffi.new("char[]", account)
        options.seed = lib.SOTTO_UNSET if seed is None else seed
        options.fresh, options.epsilon, options.account = fresh, epsilon, name
        options.again = again
        if night is not None:
            options.nightly, options.nights, options.edge_changes = True, night.nights, night.edge_changes
            options.night = night.night
        options.observer = watch.observer
        data = NULL if graph is None else graph._data
        out = ffi.new("sotto_model **")
        watch.run(lambda: _core.call(lib.sotto_model_open, out, folder, data, options))
        return cls(out[0], (graph, watch))

    def predict(self, nodes: Any = None) -> Any:
        """Class probabilities, float32, a row a node; of regression a number a node."""
        np = _arrays.numpy()
        classes = self.classes
        total = int(lib.sotto_model_data(self._model).graph.nodes)
        rows = None
        if nodes is not None:
            rows = _arrays.indices(nodes, "nodes")
            if rows.size and (int(rows.min()) < 0 or int(rows.max()) >= total):
                raise errors.OutOfRange(f"nodes: node numbers are 0 to {total - 1}")
            rows = np.ascontiguousarray(rows, dtype=np.uint32)
        count = total if rows is None else rows.size
        out = np.empty((count, classes), dtype=np.float32)
        if count == 0:
            return out[:, 0] if self.regression else out
        wanted = NULL if rows is None else ffi.cast("uint32_t *", rows.ctypes.data)
        with self._lock:
            _core.call(lib.sotto_model_predict, self._model, ffi.cast("float *", out.ctypes.data), out.size, wanted,
                       count)
        return out[:, 0] if self.regression else out

    def embeddings(self) -> Any:
        """What the model computes from each node's own features, a row a node; a copy."""
        np = _arrays.numpy()
        with self._lock, _core.working():
            matrix = lib.sotto_model_embeddings(self._model)
            address = int(ffi.cast("uintptr_t", matrix.data))
            return np.array(_arrays.held(self, address, (int(matrix.rows), int(matrix.cols)), "<f4"))

    def part(self, name: str) -> Any:
        """Nodes of a part of the run's split, ascending."""
        np = _arrays.numpy()
        parts = {"train": lib.SOTTO_PART_TRAIN, "validation": lib.SOTTO_PART_VALIDATION, "test": lib.SOTTO_PART_TEST}
        count = ffi.new("size_t *")
        rows = lib.sotto_model_part(self._model, _core.chosen(name, parts, "part"), count)
        return np.array(_arrays.held(self, int(ffi.cast("uintptr_t", rows)), (int(count[0]),), "<u4"))

    @property
    def labels(self) -> Any:
        """Labels of its data as the model numbers classes, -1 where unknown; None: there are none."""
        data = lib.sotto_model_data(self._model)
        if data.labels == NULL:
            return None
        return _arrays.held(self, int(ffi.cast("uintptr_t", data.labels)), (int(data.graph.nodes),), "<i4")

    @property
    def regression(self) -> bool:
        """Are its answers numbers, and not class probabilities?"""
        return bool(lib.sotto_model_run(self._model).task == lib.SOTTO_TASK_REGRESSION)

    @property
    def numbers(self) -> Any:
        """Numbers to learn of its data, NaN where unknown; None: there are none."""
        data = lib.sotto_model_data(self._model)
        if data.numbers == NULL:
            return None
        return _arrays.held(self, int(ffi.cast("uintptr_t", data.numbers)), (int(data.graph.nodes),), "<f4")

    @property
    def classes(self) -> int:
        """Number of the model's classes; of regression 1."""
        return int(lib.sotto_model_classes(self._model))

    @property
    def class_names(self) -> list[str]:
        """Names of the model's classes; empty: they are numbers."""
        return names_of(lib.sotto_model_class_names(self._model))

    @property
    def unseen(self) -> Unseen:
        """What its data have that the training had not."""
        found = lib.sotto_model_unseen(self._model)
        return Unseen(int(found.nodes), int(found.labels), int(found.count), _core.text(found.words))

    @property
    def release_folder(self) -> str:
        """Folder of the release that was made of other data; empty: there is none."""
        return _core.text(lib.sotto_model_release_folder(self._model))
