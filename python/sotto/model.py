"""Models of run folders: what the program, `save` and the option `out` leave."""
from __future__ import annotations

import os
import pathlib
import threading
from typing import Any

from . import _core, _packed, errors
from ._answers import Answers, as_graph
from ._estimator import _again, _epsilon
from ._run import Model, Night
from .graph import Graph


class LoadedModel(Answers):
    """A model of a run folder, from `load_model`."""

    def __init__(self, folder: pathlib.Path, graph: Graph, seed: int | None, epsilon: float | None,
                 again: int | None = None, night: Night | None = None) -> None:
        self._path, self._seed = folder, seed
        self._graph: Graph | None = graph
        self._lock = threading.Lock()
        self._models = {(graph.digest, graph.schema): self._open(graph, epsilon, again, night)}

    def __getstate__(self) -> dict[str, Any]:
        return {"seed": self._seed, "folder_as_zip": _packed.pack(self._path)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._unpacked = _packed.Unpacked(state["folder_as_zip"])
        self._path, self._seed, self._graph = self._unpacked.path, state["seed"], None
        self._lock = threading.Lock()
        self._models = {}

    def attach(self, graph: Any) -> LoadedModel:
        """Gives a model that came from a pickle the data that it was trained on, which the pickle does not hold, or
        other data, as `load_model` does."""
        if self._graph is not None:
            raise errors.InvalidArgument("attach: this model has its data; only one that came from a pickle has none")
        data = as_graph(graph)
        self._models = {(data.digest, data.schema): self._open(data, None)}
        self._graph = data
        return self

    @property
    def classes_(self) -> Any:
        """Names of the classes, in the order of the columns of `predict_proba`. A model of numbers has none."""
        return self._classes_of(self._model_for(None, None))

    def __repr__(self) -> str:
        return f"LoadedModel({str(self._path)!r})"

    def _open(self, graph: Graph, epsilon: float | None, again: int | None = None,
              night: Night | None = None) -> Model:
        return Model.open(_core.encoded(self._path, "folder"), graph, seed=self._seed, epsilon=_epsilon(epsilon),
                          again=_again(again), night=night)

    def _folder(self) -> pathlib.Path:
        return self._path

    def _own_graph(self) -> Graph:
        if self._graph is None:
            raise errors.not_fitted(_packed.DETACHED)
        return self._graph

    def _seed_of(self, first: int) -> int:
        return first if self._seed is None else self._seed

    def _model_for(self, graph: Graph | None, epsilon: float | None, again: int | None = None) -> Model:
        asked = self._own_graph() if graph is None else graph
        if graph is not None and (epsilon is not None or again is not None):  # whatever its edges are
            return self._open(asked, epsilon, again)
        with self._lock:
            key = (asked.digest, asked.schema)
            if key not in self._models:
                self._models[key] = self._open(asked, None)
            return self._models[key]


def load_model(folder: str | os.PathLike[str], graph: Any, *, seed: int | None = None,
               epsilon: float | None = None, again: int | None = None, nightly: bool = False,
               nights: int | None = None, edge_changes: int | None = None, night: int | None = None) -> LoadedModel:
    """Opens a run folder that the program or `save` wrote.

    Parameters
    ----------
    folder : path
        The run folder.
    graph : Graph
        The data that the run was trained on, or other data with the same columns, by name where they have names.
    seed : int, optional
        Which of the run's seeds; default: the first.
    epsilon : float, optional
        Of the release that other data need where the model is private; each call makes one, and it is charged to
        the ledger.
    again : int, optional
        Answers from this release of the run folder, predictions/N: nothing is charged, and the edges of `graph`
        are not read.
    nightly : bool
        `graph` is tonight's, which grew from the run's own. The first night takes `nights`, and an `epsilon` that
        the training and all nights have together, and charges it whole; later nights take neither. The first
        night reads the run's data from the file that the program trained on, and the model of one night has to go
        before that of the next is opened. See docs/nights.md of the project.
    nights : int, optional
        The first night: how many there will be, 1 to 1000.
    edge_changes : int, optional
        The first night: 1, an edge that has appeared stays counted; 2, it may go once.
    night : int, optional
        Repeats this night from its release; the edges of `graph` are not read. Default: the next night.

    Returns
    -------
    LoadedModel

    Raises
    ------
    InvalidArgument
        Model and data do not fit each other.
    NotFound, IOFailure, CorruptData
        Of the folder.
    """
    path = pathlib.Path(os.fsdecode(_core.encoded(folder, "folder")))
    if not path.is_dir():
        raise errors.NotFound(f"folder: {path} is not a folder")
    number = None if seed is None else _core.whole(seed, "seed", 0, 2**32 - 1)
    asked = None
    if nightly:
        asked = Night(0 if nights is None else _core.whole(nights, "nights", 1, 1000),
                      0 if edge_changes is None else _core.whole(edge_changes, "edge_changes", 1, 2),
                      0 if night is None else _core.whole(night, "night", 1, 1000))
    elif nights is not None or edge_changes is not None or night is not None:
        raise errors.InvalidArgument("nights, edge_changes, night: they go with nightly=True")
    return LoadedModel(path, as_graph(graph), number, epsilon, again, asked)
