"""Federations: all parties in this process, or one party of several over a network."""
from __future__ import annotations

import hashlib
import itertools
import json
import pathlib
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from . import _arrays, _core, _options, errors
from ._answers import History, as_graph, measures
from ._core import NULL, ffi, lib
from ._estimator import Estimator
from ._join import clients, topology, two_parties
from ._peers import names_of
from ._run import alone
from ._watch import Watch
from .graph import Graph
from .statement import Statement


def simulate(method: str, parties: Any, **parameters: Any) -> Estimator:
    """Trains a method of several parties, all in this process, as they would train over a network.

    Parameters
    ----------
    method : str
        One of `sotto.methods()`.
    parties : Graph or list of Graph
        One graph, which is divided among the parties as the options say (`label_features`, `holders`, `clients`,
        ...). Or what each party has: of a data and a label party the edges and features, and the labels; of clients
        the graph of each.
    **parameters
        Options of the method, and `callback` and `progress` of `fit`.

    Returns
    -------
    Estimator
        Fitted. Of clients, nodes are numbered one client after the other.

    Examples
    --------
    >>> import sotto
    >>> sizes = {"nodes": 200, "classes": 2, "features": 8, "degree_inside": 6, "degree_outside": 1}
    >>> firms = [sotto.generate("sbm", seed=seed, **sizes) for seed in (1, 2)]
    >>> model = sotto.simulate("fedavg", firms, adjacency="none", rounds=2, seed=1)
    >>> model.predict_proba().shape
    (400, 2)
    """
    from .estimators import BY_METHOD
    kind = _core.chosen(method, BY_METHOD, "method")
    of_fit = {name: parameters.pop(name) for name in ("callback", "progress") if name in parameters}
    listing = None
    if _core.is_list(parties):
        graphs = [as_graph(graph) for graph in parties]
        if topology(method) == "two-parties" and len(graphs) == 2:
            parties = two_parties(graphs[0], graphs[1], _options.regression(parameters.get("task")))
        elif topology(method) == "clients-and-server" and len(graphs) > 1:
            parties, listing = clients(graphs)
            parameters = {**parameters, "clients": len(graphs), "partition": f"file:{listing}"}
        else:
            raise errors.InvalidArgument(f"parties: {len(graphs)} graphs for {method}; two parties have two, clients "
                                         "one each, at least two; give one graph for others")
    fitted: Estimator = kind(**parameters)
    if listing is not None:
        weakref.finalize(fitted, pathlib.Path(listing).unlink, missing_ok=True)
    return fitted.fit(parties, **of_fit)


def _digest_of_ids(graph: Graph) -> bytes:
    """Digest of the node ids in the order of rows, as parties compare it."""
    ids = range(graph.num_nodes) if graph.ids is None else graph.ids
    out = hashlib.blake2b(digest_size=32)
    rows = iter(ids)
    while chunk := list(itertools.islice(rows, 65536)):
        out.update(b"".join(b"%s\n" % str(item).encode() for item in chunk))
    return out.digest()


class Party:
    """One party of a run over a network; the others are other processes, or other threads.

    Parameters
    ----------
    role : str
        "data", "label", "server", "holder1", "client1", "helper", ...
    peers : dict
        Everyone that this party talks to: the name in the certificate to ``HOST:PORT`` where it listens, or to None
        where it comes to this one.
    method : str, optional
    listen : str, optional
        ``HOST:PORT`` where those peers come in that have no address.
    folder : path, optional
        Identity (`sotto identity init`); default: the usual one.
    proxy : str, optional
        ``HOST:PORT`` of an HTTP proxy through which it connects.
    insecure_loopback : bool, optional
        No TLS, between processes of this machine.
    **parameters
        Options of the method, the same at all parties; `out`, `ledger` and `account` are this party's own. Without
        `out`, the run folder is private and is removed with the object.

    Notes
    -----
    `train` and `predict` release the interpreter's lock: parties may run in threads, or under
    ``asyncio.to_thread``. A run that was stopped goes on when `train` is called again with the same `out`.
    """

    def __init__(self, role: str, peers: Mapping[str, str | None], *, method: str = "vesper",
                 listen: str | None = None, folder: Any = None, proxy: str | None = None,
                 insecure_loopback: bool = False, **parameters: Any) -> None:
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self.method, self.role = method, role
        self._options = ffi.new("sotto_options *")
        lib.sotto_options_default(self._options)
        _core.chosen(method, _options.methods(), "method")
        table = _options.of_method(method)
        if _options.regression(parameters.get("task")):
            raise errors.Unsupported("task: a Party learns classes; numbers are learnt by an estimator with the data of all, such "
                                     "as sotto.Vesper(task=\"regression\")")
        self._set("method", method)
        self._set("data", "(in memory)")
        self._set("resume", "true")
        if "out" not in parameters:
            scratch = tempfile.mkdtemp(prefix="sotto-party-")
            weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)
            parameters["out"] = str(pathlib.Path(scratch) / "run")
        if "ledger" in parameters:
            parameters["ledger"] = getattr(parameters["ledger"], "path", parameters["ledger"])
        for name, value in parameters.items():
            if name not in table:
                raise errors.NotFound(f"{method} has no option {name!r}; it has {', '.join(table)}")
            if value is not None:
                self._set(table[name].key, table[name].text_of(value))
        self._party = ffi.new("sotto_party *")
        self._keep, rows = names_of(peers, "sotto_peer")
        self._party.peers, self._party.peer_count = rows, len(peers)
        self._keep.append(rows)
        self._party.insecure_loopback = bool(insecure_loopback)
        for name, text in (("listen", listen), ("folder", folder), ("proxy", proxy)):
            if text is not None:
                self._keep.append(ffi.new("char[]", _core.encoded(text, name)))
                setattr(self._party, name, self._keep[-1])
        _core.call(lib.sotto_party_role_read, self._party, _core.encoded(role, "role"))
        lib.sotto_options_resolve(self._options)
        _core.call(lib.sotto_options_check, self._options)
        _core.call(lib.sotto_party_role_check, self._party, self._options)
        self._result: dict[str, Any] | None = None

    def _set(self, key: str, value: str) -> None:
        _core.call(lib.sotto_options_set, self._options, key.encode(), _core.encoded(value, key))

    def __repr__(self) -> str:
        return f"Party({self.role!r}, method={self.method!r})"

    @property
    def folder(self) -> pathlib.Path:
        """The run folder of this party."""
        return pathlib.Path(_core.text(self._options.out))

    def _own(self, graph: Graph | None) -> tuple[Any, bytes]:
        """What this party may have of a graph, as sotto_party_dataset_open leaves it, and the digest of its ids."""
        out = ffi.new("sotto_dataset *")
        if graph is None:
            if self.role not in ("server", "helper"):
                raise errors.InvalidArgument(f"graph: {self.role} has data of its own")
            self._keep.append(ffi.new("char[]", b"server"))
            out.name = self._keep[-1]
            return out, bytes(32)
        out[0] = graph._data[0]
        out.numbers = NULL  # parties learn classes
        role, options = self._party.role, self._options
        among_holders = "label_holder" in _options.of_method(self.method)
        keeps_labels = role in (lib.SOTTO_ROLE_CLIENT, lib.SOTTO_ROLE_LABEL) or (
            role == lib.SOTTO_ROLE_HOLDER and among_holders and self._party.number == options.label_holder)
        if not keeps_labels:
            out.labels, out.classes, out.split = NULL, 0, NULL
        elif out.labels == NULL and not self._party.unlabelled:
            raise errors.InvalidArgument(f"graph: its nodes have no labels, which {self.role} gives")
        if role == lib.SOTTO_ROLE_LABEL:
            if options.label_features == 0:
                out.features.data, out.features.cols, out.entries.offsets = NULL, 0, NULL
            if options.label_edges == 0:
                out.graph.entries, out.graph.offsets, out.graph.targets = 0, NULL, NULL
        elif out.features.cols == 0:
            raise errors.InvalidArgument(f"graph: its nodes have no features, which {self.role} gives")
        return out, bytes(32) if role == lib.SOTTO_ROLE_CLIENT else _digest_of_ids(graph)

    def train(self, graph: Any = None, *, callback: Callable[[dict[str, Any]], None] | None = None) -> Party:
        """Trains with the other parties; returns itself.

        Parameters
        ----------
        graph : Graph, optional
            What this party has; what the role may not have is not looked at. A server has none.
        callback : callable, optional
            As `fit` of estimators.

        Raises
        ------
        ProtocolError
            Another party has other terms, other nodes, or is gone.
        BudgetExceeded
        """
        own = None if graph is None else as_graph(graph)
        with alone(self._lock, "the party"):
            data, nodes = self._own(own)
            options = ffi.new("sotto_options *")
            options[0] = self._options[0]
            lib.sotto_party_settle(options, self._party, data)
            out = ffi.gc(ffi.new("sotto_result *"), lib.sotto_result_free)
            watch = self._watch = Watch(callback)
            try:
                watch.run(lambda: _core.call(lib.sotto_train_party, out, options, data, nodes, self._party,
                                             watch.observer, NULL))
            finally:
                self._watch = None
            text = ffi.new("char **")
            _core.call(lib.sotto_result_json, text, options, data, out)
            try:
                self._result = json.loads(_core.text(text[0]))
            finally:
                lib.sotto_statement_free(text[0])
        return self

    def stop(self) -> None:
        """Stops a `train` that is at work in another thread, which then raises `Interrupted`; else does nothing. It
        goes on when `train` is called again."""
        at_work = self._watch
        if at_work is not None:
            at_work.stop()

    def _trained(self) -> dict[str, Any]:
        if self._result is None:
            raise errors.not_fitted("this party has not trained; call train first")
        return self._result

    @property
    def result(self) -> dict[str, Any]:
        """Qualities, bytes by kind and seconds, as this party knows them."""
        return self._trained()

    @property
    def statement(self) -> Statement:
        """The privacy statement of this party."""
        self._trained()
        return Statement.from_json((self.folder / "statement.json").read_text(encoding="utf-8"))

    @property
    def history(self) -> History:
        """Loss and validation of each epoch, where this party knows them."""
        self._trained()
        path = measures(self.folder, "metrics.jsonl")
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return History(record for record in map(json.loads, lines) if "epoch" in record)

    def predict_proba(self, graph: Any, nodes: Any = None, *, learns: str = "label") -> Any:
        """Class probabilities of a finished run of two parties; the other one calls it, too.

        Parameters
        ----------
        graph : Graph
            This party's own data of the run.
        nodes : array of int, optional
            Ascending, each once; None: those that the other party names, else all.
        learns : {"label", "data", "both"}, optional
            Who gets the answers; the other party has to say the same.

        Returns
        -------
        tuple of arrays, or None
            Nodes and their probabilities; None where this party does not learn them.
        """
        np = _arrays.numpy()
        kinds = {"label": lib.SOTTO_LEARNS_LABEL, "data": lib.SOTTO_LEARNS_DATA, "both": lib.SOTTO_LEARNS_BOTH}
        own = as_graph(graph)
        asking = ffi.new("sotto_asking *")
        asking.seed, asking.learns = lib.SOTTO_UNSET, _core.chosen(learns, kinds, "learns")
        if nodes is not None:
            rows = _arrays.indices(nodes, "nodes")
            if rows.size == 0 or int(rows.min()) < 0 or int(rows.max()) >= own.num_nodes:
                raise errors.OutOfRange(f"nodes: some are wanted, from 0 to {own.num_nodes - 1}")
            rows = np.ascontiguousarray(rows, dtype=np.uint32)
            asking.nodes, asking.count = ffi.cast("uint32_t *", rows.ctypes.data), rows.size
        with alone(self._lock, "the party"):
            data, digest = self._own(own)
            options = ffi.new("sotto_options *")
            lib.sotto_options_default(options)
            _core.call(lib.sotto_options_read, options, _core.encoded(self.folder / "run.yaml", "folder"))
            if options.task == lib.SOTTO_TASK_REGRESSION:
                raise errors.Unsupported("predict_proba: this run learnt numbers, which have no classes; `sotto run predict` gives the numbers")
            options.out, options.ledger = self._options.out, self._options.ledger
            out, watch = ffi.gc(ffi.new("sotto_answers *"), lib.sotto_answers_free), Watch()
            watch.run(lambda: _core.call(lib.sotto_predict_party, out, options, data, digest, self._party, asking,
                                         watch.observer))
        if not out.learnt:
            return None
        count, classes = int(out.count), int(out.rows.cols)
        found = _arrays.held(out, int(ffi.cast("uintptr_t", out.nodes)), (count,), "<u4")
        values = _arrays.held(out, int(ffi.cast("uintptr_t", out.rows.data)), (count, classes), "<f4")
        return np.array(found).astype(np.int64), np.array(values)
