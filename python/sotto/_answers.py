"""What fitted estimators and models of run folders have in common: predictions, scores, the statement."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
from typing import Any

from . import _arrays, _numbers, errors
from ._run import Model, Unseen
from .graph import NO_FOLDS, Graph
from .schema import Schema
from .statement import Statement


NO_CLASSES = "this model learnt numbers, and has no classes"


class History(list[dict[str, Any]]):
    """A record an epoch: `seed`, `stage`, `epoch`, `loss`, `validation`."""

    def to_pandas(self) -> Any:
        """The same as a frame of pandas."""
        import pandas  # type: ignore[import-untyped, unused-ignore]
        return pandas.DataFrame(list(self))


def as_graph(value: Any, y: Any = None, task: str | None = None) -> Graph:
    """A Graph as it is; anything that `Graph` takes, made into one. `task` is what `y` is for."""
    if isinstance(value, Graph):
        if y is not None:
            raise errors.InvalidArgument("y: the graph has the labels; give y to sotto.Graph")
        return value
    if value is None:
        raise errors.InvalidArgument("graph: a sotto.Graph is wanted, or what it can be made of")
    try:
        return Graph(value, y=y, task=task)
    except (errors.InvalidArgument, errors.OutOfRange) as problem:
        if y is None or hasattr(value, "edge_index"):
            raise
        raise type(problem)(f"{problem}. If this is a table of features: a graph is none, and {NO_FOLDS}") from problem


def measures(folder: pathlib.Path, name: str) -> pathlib.Path:
    """A file of a run folder: in owner-only/ where it follows from private data, as measures and models may."""
    own = folder / "owner-only" / name
    return own if own.exists() else folder / name


def read_measures(folder: pathlib.Path, name: str) -> str:
    """Its text. NotFound where the folder was handed on without owner-only/."""
    path = measures(folder, name)
    if not path.exists():
        raise errors.NotFound(f"{path}: is not there; measures that follow from private data are in owner-only/, which "
                              "stays with the owner of the run")
    return path.read_text(encoding="utf-8")


class Answers:
    """Predictions of a model; who inherits says which one, for which data."""

    _unseen = Unseen()

    def _model_for(self, graph: Graph | None, epsilon: float | None, again: int | None = None) -> Model:
        raise NotImplementedError

    def _own_graph(self) -> Graph:
        raise NotImplementedError

    def _folder(self) -> pathlib.Path:
        raise NotImplementedError

    def _learnt_numbers(self) -> bool:
        """Did the training learn numbers? As the run folder says."""
        from . import _options
        return _options.regression(_options.of_folder(self._folder())["task"])

    @property
    def classes_(self) -> Any:
        """Names of the classes, in the order of the columns of `predict_proba`. A model of numbers has none."""
        own = self._own_graph()
        if self._learnt_numbers():
            raise AttributeError(NO_CLASSES)
        return own.classes

    def _classes_of(self, model: Model) -> Any:
        """Names of a model's classes: as the own graph has them, where these are the same."""
        if model.regression:
            raise AttributeError(NO_CLASSES)
        np, own = _arrays.numpy(), self._own_graph().classes
        if model.class_names and [str(name) for name in own.tolist()] != model.class_names:
            return np.array(model.class_names)
        return own if len(own) == model.classes else np.arange(model.classes)

    def _answer(self, graph: Any, nodes: Any, epsilon: float | None, again: int | None) -> tuple[Model, Any]:
        """The model of a graph, and its probabilities or numbers."""
        self._own_graph()  # not fitted comes before what may be wrong with the graph
        model = self._model_for(None if graph is None else as_graph(graph), epsilon, again)
        self._unseen = model.unseen
        return model, model.predict(nodes)

    @property
    def schema(self) -> Schema | None:
        """Columns and classes of the training, by name, with the statistics by which features are standardised; None:
        they had no names. `sotto.Graph` and `sotto.load` take it for later tables."""
        return Schema.of_run(self._folder())

    @property
    def unseen(self) -> Unseen:
        """Words and classes of the graph that was answered last and that the training did not have."""
        return self._unseen

    def predict_proba(self, graph: Any = None, nodes: Any = None, *, epsilon: float | None = None,
                      again: int | None = None) -> Any:
        """Class probabilities.

        Parameters
        ----------
        graph : Graph, optional
            Other data, whose nodes are all taken for nodes that did not train; default: the data that the model was
            trained on. Columns with names are matched by these, in any order; a word that the training did not have
            is in `unseen`.
        nodes : array of int, optional
            Which nodes, in which order; default: all.
        epsilon : float, optional
            Of the release that answers about other data need where the model is private. Every call makes one,
            and it is charged to the ledger.
        again : int, optional
            Answers from this release of `releases` instead: nothing is charged, and the edges of `graph` are not
            read.

        Returns
        -------
        array of shape (nodes, classes), float32

        Raises
        ------
        InvalidArgument
            Other data of a private model without `epsilon` and `again`; columns that are missing, or that the training
            did not have, with the names of both.
        BudgetExceeded
            The release would pass the budget.
        Unsupported
            The model learnt numbers.
        """
        self._own_graph()  # not fitted comes before what may be wrong
        if self._learnt_numbers():  # before a release is made
            raise errors.Unsupported("predict_proba: this model learnt numbers, which have no classes; predict gives the numbers")
        return self._answer(graph, nodes, epsilon, again)[1]

    def predict(self, graph: Any = None, nodes: Any = None, *, epsilon: float | None = None,
                again: int | None = None) -> Any:
        """The most probable class of each node, by its name; where numbers were learnt a number a node, float32, in
        their unit. Arguments as `predict_proba`."""
        model, found = self._answer(graph, nodes, epsilon, again)
        return found if model.regression else self._classes_of(model)[found.argmax(axis=1)]

    @property
    def answer_releases(self) -> list[int]:
        """Numbers of the releases of other data that were made for answers, ascending: what `again` takes."""
        made = self._folder() / "predictions"
        return sorted(int(one.parent.name) for one in made.glob("*/statement.json") if one.parent.name.isdigit())

    def score(self, graph: Any = None, y: Any = None, *, nodes: Any = None, epsilon: float | None = None,
              again: int | None = None) -> float:
        """Accuracy, or R2 where numbers were learnt, as scikit-learn has them: of the test nodes of the run's split; of
        other data over all nodes with a label or number.

        Parameters
        ----------
        graph : Graph, optional
            As `predict_proba`.
        y : array, optional
            Labels or numbers, where the graph's own are not to be taken.
        nodes : array of int, optional
            Over these nodes instead.
        epsilon, again : optional
            As `predict_proba`.

        Returns
        -------
        float
            Accuracy 0 to 1, R2 at most 1; NaN where no node has a label or number.
        """
        np = _arrays.numpy()
        own = self._own_graph()
        asked = own if graph is None else as_graph(graph)
        model = self._model_for(None if graph is None else asked, epsilon, again)
        self._unseen, truth = model.unseen, self._truth(model, y, asked.num_nodes)
        if nodes is None and epsilon is None and again is None and asked.digest == own.digest:
            rows = model.part("test")
        else:
            rows = np.arange(asked.num_nodes) if nodes is None else _arrays.indices(nodes, "nodes")
        if model.regression:
            return _numbers.r2(model.predict(rows), truth[rows])
        found = model.predict(rows).argmax(axis=1)
        known = truth[rows] != -1
        return float("nan") if not known.any() else float((found[known] == truth[rows][known]).mean())

    def _truth(self, model: Model, y: Any, nodes: int) -> Any:
        """What answers are measured by: labels as the model numbers classes, or numbers."""
        np = _arrays.numpy()
        truth = model.numbers if model.regression else model.labels
        if y is not None and model.regression:
            truth = _numbers.read(y, nodes)
        elif y is not None:
            truth, names = _arrays.labels(y, nodes)
            if names is not None:
                place = {name: row for row, name in enumerate(self._classes_of(model).tolist())}
                numbers = np.array([place.get(name, -2) for name in names.tolist()] + [-1], dtype=np.int32)
                truth = numbers[truth]
        if truth is None:
            raise errors.InvalidArgument(f"score: the graph has no {'numbers' if model.regression else 'labels'}")
        return truth

    def embed(self, nodes: Any = None) -> Any:
        """What the model computes from each node's own features before it reads neighbours, a row a node."""
        rows = self._model_for(None, None).embeddings()
        return rows if nodes is None else rows[_arrays.indices(nodes, "nodes")]

    def to_torch(self) -> Any:
        """The model as a `torch.nn.Module` in evaluation mode, with the same answers to 1e-5.

        Its forward takes features as they were given to `Graph`, and gives logits: `softmax(1)` of them is
        `predict_proba`. It holds weights, and of `gap` the released rows; nothing else of the data. torch has to be
        installed, and is imported by this call alone.

        Returns
        -------
        torch.nn.Module
            Of `MLP` ``forward(x)``; of `GNN` and `SAGE` ``forward(x, edge_index)`` for any graph; of `GAP`
            ``forward(x, nodes=None)``: rows of `x` are features of `nodes` of the training, by default of all, and
            what neighbours add is what was released.

        Raises
        ------
        Unsupported
            Another method, or an option that is not written for torch.
        """
        from . import _options
        graph, model, folder = self._own_graph(), self._model_for(None, None), self._folder()
        options = _options.of_folder(folder)
        if model.regression:
            raise errors.Unsupported("to_torch: a model of numbers is not written for torch; predict gives them")
        from . import _torch
        return _torch.module(folder, self._seed_of(int(options["seed"])), options, model, graph.x)

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a file of ONNX, which has the same answers to 1e-5 in any runtime.

        Its input `x` is a row of features a node, float32, as they were given to `Graph`; its output `probabilities`
        is `predict_proba`. Of `gap` a second input, `nodes`, has the numbers of the same nodes in the training, int64:
        what neighbours add is what was released, and is in the file. The file holds weights and released rows, and
        nothing else of the data. onnx has to be installed, and is imported by this call alone.

        Raises
        ------
        Unsupported
            Another method than `mlp` without noise and `gap` at edge level, or an option that is not written.
        NotFound
            onnx is not installed.
        """
        from . import _onnx, _options
        graph, model, folder = self._own_graph(), self._model_for(None, None), self._folder()
        options = _options.of_folder(folder)
        if model.regression:
            raise errors.Unsupported("to_onnx: a model of numbers is not written; predict gives them")
        _onnx.write(path, folder, self._seed_of(int(options["seed"])), options, model, graph.x)

    def _seed_of(self, first: int) -> int:
        return first

    @property
    def statement(self) -> Statement:
        """The privacy statement: what was released, what it cost, and what is not covered."""
        return Statement.from_json((self._folder() / "statement.json").read_text(encoding="utf-8"))

    @property
    def result(self) -> dict[str, Any]:
        """Accuracy, AUC and macro F1, or R2, RMSE and MAE, on the test nodes, of the method and without edges; bytes; seconds."""
        found: dict[str, Any] = json.loads(read_measures(self._folder(), "result.json"))
        return found

    @property
    def history(self) -> History:
        """Loss and validation of each epoch."""
        lines = read_measures(self._folder(), "metrics.jsonl").splitlines()
        return History(record for record in map(json.loads, lines) if "epoch" in record)

    def plot(self, ax: Any = None) -> Any:
        """Draws validation by epoch, or loss where nothing was validated: a line a stage, its seeds as a band.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a figure of its own.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        NotFound
            matplotlib is not installed, or the folder was handed on without the measures.
        """
        from . import _plots
        return _plots.run(self.history, self.statement, ax)

    @property
    def digest(self) -> str:
        """SHA-256 of the model file, in hexadecimal: that of the program's for the same data and options."""
        return hashlib.sha256(measures(self._folder(), "model.safetensors").read_bytes()).hexdigest()
