"""Models of run folders: what the program, `save` and the option `out` leave."""
from __future__ import annotations

import os
import pathlib
import threading
from typing import Any

from . import _core, errors
from ._answers import Answers, as_graph
from ._estimator import _epsilon
from ._run import Model
from .graph import Graph


class LoadedModel(Answers):
    """A model of a run folder, from `load_model`."""

    def __init__(self, folder: pathlib.Path, graph: Graph, seed: int | None, epsilon: float | None) -> None:
        self._path, self._graph, self._seed = folder, graph, seed
        self._lock = threading.Lock()
        self._models = {graph.digest: self._open(graph, epsilon)}

    def __repr__(self) -> str:
        return f"LoadedModel({str(self._path)!r})"

    def _open(self, graph: Graph, epsilon: float | None) -> Model:
        return Model.open(_core.encoded(self._path, "folder"), graph, seed=self._seed, epsilon=_epsilon(epsilon))

    def _folder(self) -> pathlib.Path:
        return self._path

    def _own_graph(self) -> Graph:
        return self._graph

    def _model_for(self, graph: Graph | None, epsilon: float | None) -> Model:
        asked = self._graph if graph is None else graph
        with self._lock:
            if asked.digest not in self._models:
                self._models[asked.digest] = self._open(asked, epsilon)
            return self._models[asked.digest]


def load_model(folder: str | os.PathLike[str], graph: Any, *, seed: int | None = None,
               epsilon: float | None = None) -> LoadedModel:
    """Opens a run folder that the program or `save` wrote.

    Parameters
    ----------
    folder : path
        The run folder.
    graph : Graph
        The data that the run was trained on, or other data with as many columns.
    seed : int, optional
        Which of the run's seeds; default: the first.
    epsilon : float, optional
        Of the release that other data need where the model is private; charged to the ledger.

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
    return LoadedModel(path, as_graph(graph), number, epsilon)
