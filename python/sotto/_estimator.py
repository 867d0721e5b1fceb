"""The base of all estimators: parameters as scikit-learn has them, and fitting."""
from __future__ import annotations

import inspect
import os
import pathlib
import shutil
import threading
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from . import _core, _options, _packed, _watch, errors
from ._answers import Answers, as_graph
from ._run import Model, Run, alone
from .graph import Graph

Self = TypeVar("Self", bound="Estimator")

fitted: Callable[[Any], None] | None = None  # what is told of each fit: sotto.mlflow

_DOC = """{summary}

    Source: {source}. All parameters are keywords; None stands for the default of the method.

    Parameters
    ----------
{options}
    """


class Estimator(Answers):
    """A method of the library as an estimator. Its parameters are the options of the method."""

    method: ClassVar[str]
    def __init_subclass__(cls) -> None:
        table = _options.of_method(cls.method)
        about = _options.methods()[cls.method]
        cls.__doc__ = _DOC.format(summary=f"{about.summary[:1].upper()}{about.summary[1:]}.", source=about.source,
                                  options=_options.describe(cls.method))
        cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in table])

    def __init__(self, **parameters: Any) -> None:
        names = _options.of_method(self.method)
        for name in parameters:
            if name not in names:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(names)}")
        for name in names:
            setattr(self, name, parameters.get(name))
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._run: Run | None = None
        self._watch: _watch.Watch | None = None
        self._models: dict[Any, Model] = {}
        self._unpacked: _packed.Unpacked | None = None  # of a pickle, in the place of a run
        self._attached: Graph | None = None

    def __repr__(self) -> str:
        given = ((name, value) for name, value in self.get_params().items() if value is not None)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given)})"

    def __getstate__(self) -> dict[str, Any]:
        state = self.get_params()
        if self._is_fitted():
            state["_folder_as_zip"] = _packed.pack(self._folder())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        packed = state.pop("_folder_as_zip", None)
        self.__dict__.update(state)
        self._forget()
        if packed is not None:
            self._unpacked = _packed.Unpacked(packed)

    @property
    def _estimator_type(self) -> str:
        return "regressor" if self.get_params()["task"] == "regression" else "classifier"

    def attach(self: Self, graph: Any) -> Self:
        """Gives a model that came from a pickle the data that it was trained on, which the pickle does not hold.

        Parameters
        ----------
        graph : Graph
            The data of the training. It is known by the number of nodes and their features: no digest of edges is
            in a pickle.

        Returns
        -------
        self

        Raises
        ------
        InvalidArgument
            Other data, where the model is private; or a model that has its data.
        """
        if self._unpacked is None:
            self._fitted()
            raise errors.InvalidArgument("attach: this model has its data; only one that came from a pickle has none")
        data = as_graph(graph)
        made = Model.open(_core.encoded(self._folder(), "folder"), data)
        with alone(self._lock, "the estimator"):
            self._attached, self._models = data, {None: made}
        return self

    def _is_fitted(self) -> bool:
        return self._run is not None or self._unpacked is not None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import (  # type: ignore[import-untyped, unused-ignore]
            ClassifierTags, InputTags, RegressorTags, Tags, TargetTags)
        kind = self._estimator_type
        return Tags(estimator_type=kind, target_tags=TargetTags(required=False),
                    classifier_tags=ClassifierTags() if kind == "classifier" else None,
                    regressor_tags=RegressorTags() if kind == "regressor" else None,
                    input_tags=InputTags(two_d_array=False), requires_fit=True)

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; None stands for the default of the method."""
        return {name: getattr(self, name) for name in _options.of_method(self.method)}

    def set_params(self: Self, **parameters: Any) -> Self:
        """Sets parameters for the next fit."""
        names = _options.of_method(self.method)
        for name in parameters:
            if name not in names:
                raise errors.NotFound(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(names)}")
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def _settings(self, **more: Any) -> dict[str, Any]:
        given = {name: value for name, value in more.items() if value is not None}
        for name in given:
            if name not in _options.of_method(self.method):
                raise errors.InvalidArgument(f"{name}: {type(self).__name__} has no such option")
        settings = {name: value for name, value in {**self.get_params(), **given}.items() if value is not None}
        if "ledger" in settings:
            settings["ledger"] = getattr(settings["ledger"], "path", settings["ledger"])
        return settings

    def fit(self: Self, graph: Any, y: Any = None, *, epsilon: float | None = None, delta: float | None = None,
            ledger: Any = None, progress: bool | None = None,
            callback: Callable[[dict[str, Any]], None] | None = None) -> Self:
        """Trains on a graph, with all parties in this process.

        What is released is charged to the ledger before anyone can read it. KeyboardInterrupt stops within a fifth
        of a second; what was charged until then stays charged, whole, and nothing else is.

        Parameters
        ----------
        graph : Graph
            Or anything that `Graph` takes as its edges, with features and labels, such as PyG's ``Data``.
        y : array, optional
            Labels, where `graph` is not a Graph; with ``task="regression"`` numbers to learn.
        epsilon, delta : float, optional
            Instead of the parameters of these names, for this call.
        ledger : path or Ledger, optional
            The ledger to charge; default: the user's own, as for the program.
        progress : bool, optional
            A bar of tqdm; default: on a terminal where tqdm is there.
        callback : callable, optional
            Called with a dict for each event: `kind` ("epoch", "progress", "spent", ...) and what belongs to it,
            from a thread of the library. What it raises stops the training and is raised here.

        Returns
        -------
        self

        Raises
        ------
        BudgetExceeded
            The releases do not fit the budget; nothing was released.
        InvalidArgument, OutOfRange, Unsupported
            Options or data that the method cannot use.
        """
        settings = self._settings(epsilon=epsilon, delta=delta, ledger=ledger)
        data = as_graph(graph, y, settings.get("task"))
        _check_task(data, settings.get("task"))
        with alone(self._lock, "the estimator"):
            self._run, self._models, self._unpacked, self._attached = None, {}, None, None
            threads = _core.whole(settings.get("threads", 0), "threads")
            if threads not in (0, _core.get_threads()):
                _core.set_threads(threads)
            run = Run(self.method, settings, data)
            bar = _watch.bar(progress)

            def listen(event: dict[str, Any]) -> None:
                if bar is not None:
                    bar(event)
                if callback is not None:
                    callback(event)

            self._watch = _watch.Watch(listen if bar is not None or callback is not None else None)
            try:
                run.train(self._watch)
            finally:
                self._watch = None
                if bar is not None:
                    bar.close()
            self._run = run
        if fitted is not None:
            fitted(self)
        return self

    def stop(self) -> None:
        """Stops a `fit` that is at work in another thread, which then raises `Interrupted`; else does nothing."""
        at_work = self._watch
        if at_work is not None:
            at_work.stop()

    def _fitted(self) -> None:
        if not self._is_fitted():
            raise errors.not_fitted(f"this {type(self).__name__} is not fitted; call fit first")

    def _own_graph(self) -> Graph:
        self._fitted()
        if self._run is not None:
            return self._run.graph
        if self._attached is None:
            raise errors.not_fitted(_packed.DETACHED)
        return self._attached

    def _folder(self) -> pathlib.Path:
        self._fitted()
        if self._run is not None:
            return pathlib.Path(self._run.folder)
        assert self._unpacked is not None
        return self._unpacked.path

    def _model_for(self, graph: Graph | None, epsilon: float | None, again: int | None = None) -> Model:
        own = self._own_graph()
        if graph is not None and (epsilon is not None or again is not None):  # whatever its edges are
            return Model.open(_core.encoded(self._folder(), "run"), graph, epsilon=_epsilon(epsilon),
                              again=_again(again))
        other = graph is not None and (graph.digest != own.digest or graph.schema != own.schema)
        key = (graph.digest, graph.schema) if graph is not None and other else None
        with self._lock:
            if key not in self._models:
                if graph is not None and other:
                    made = Model.open(_core.encoded(self._folder(), "run"), graph)
                elif self._run is not None:
                    made = self._run.model(0)
                else:
                    made = Model.open(_core.encoded(self._folder(), "run"), own)
                self._models = {kept: model for kept, model in self._models.items() if kept is None}
                self._models[key] = made
            return self._models[key]

    def option(self, name: str) -> Any:
        """The value that an option was trained with, such as `delta`, which follows the size of the data."""
        table = _options.of_method(self.method)
        if name not in table:
            raise errors.NotFound(f"{type(self).__name__} has no option {name!r}")
        key = table[name].key
        if self._run is not None:
            return table[name].value_of(self._run.option(key))
        return table[name].value_of(_options.of_folder(self._folder())[key])

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Copies the run folder, as the program leaves it: settings, model, metrics, statement, and what a private
        model needs for its answers. `sotto.load_model` and the program read it. The folder must not be there."""
        target = pathlib.Path(os.fspath(folder))
        if target.exists():
            raise errors.InvalidArgument(f"save: {target} is there already")
        partial = target.with_name(target.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(self._folder(), partial)
        os.replace(partial, target)


def _check_task(data: Graph, task: str | None) -> None:
    """Has the graph what is to be learnt? Where it has nothing at all, the library says so."""
    regression = _options.regression(task)
    if regression and data.numbers is None and data.y is not None:
        raise errors.InvalidArgument("task: the graph has classes, and no numbers to learn; make it with "
                                     "sotto.Graph(..., task=\"regression\"), or learn classes without task")
    if not regression and data.y is None and data.numbers is not None:
        raise errors.InvalidArgument("task: the graph has numbers to learn, and no classes; learn them with "
                                     "task=\"regression\", or give ranges of them as classes (pandas.cut)")


def _epsilon(value: float | None) -> float:
    return 0.0 if value is None else _core.real(value, "epsilon")


def _again(value: int | None) -> int:
    return 0 if value is None else _core.whole(value, "again", 1, 2**32 - 1)
