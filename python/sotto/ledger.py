"""The budget ledger: who released what about which data."""
from __future__ import annotations

import html
import os
import threading
import warnings
from types import TracebackType
from typing import Any

from . import _core, errors
from ._core import NULL, ffi, lib
from ._watch import patiently
from .graph import Graph


def _key(account: Any) -> Any:
    if isinstance(account, Graph):
        return account._data.account
    if isinstance(account, (bytes, bytearray)) and len(account) == 32:
        return ffi.new("uint8_t[32]", bytes(account))
    if isinstance(account, str):
        try:
            raw = bytes.fromhex(account)
        except ValueError:
            raw = b""
        if len(raw) == 32:
            return ffi.new("uint8_t[32]", raw)
    raise errors.InvalidArgument("account: a Graph is wanted, or 32 bytes or their 64 hexadecimal digits")


class Ledger:
    """The ledger at a path.

    Parameters
    ----------
    path : path, optional
        Default: ``$SOTTO_LEDGER``, else the user's own. A path that is named has to exist: `Ledger.create` makes one.

    Notes
    -----
    May be used from several threads, one call at a time. A process that was forked opens it anew.

    Examples
    --------
    >>> import sotto, tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> os.environ["SOTTO_LEDGER_KEY"] = os.path.join(folder, "key")
    >>> with sotto.Ledger.create(os.path.join(folder, "ledger.db")) as ledger:
    ...     graph = sotto.generate("chains", classes=2, chains_per_class=1, length=4, features=2)
    ...     ledger.set_budget(graph, epsilon=8, delta=1e-6, reason="agreed")
    ...     ledger.spent(graph)["budget"]
    {'epsilon': 8.0, 'delta': 1e-06}
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._lock = threading.RLock()
        self._ledger: Any = None
        out = ffi.new("sotto_ledger **")
        _core.call(lib.sotto_ledger_open, out, NULL if path is None else _core.encoded(path, "path"))
        self._ledger = ffi.gc(out[0], lib.sotto_ledger_close)
        self._pid = os.getpid()
        self.path = _core.text(lib.sotto_ledger_path(self._ledger))

    @classmethod
    def create(cls, path: str | os.PathLike[str] | None = None) -> Ledger:
        """Makes an empty ledger, and opens it. The owner's key lies at ``$SOTTO_LEDGER_KEY`` or in the user's
        configuration, and is made where it is missing."""
        _core.call(lib.sotto_ledger_init, NULL if path is None else _core.encoded(path, "path"))
        return cls(path)

    def _open(self) -> Any:
        if self._ledger is None:
            raise errors.Closed("the ledger is closed")
        if self._pid != os.getpid():
            raise errors.ForkedProcess("the ledger was opened before this process was forked; open it anew")
        return self._ledger

    def _call(self, function: Any, *arguments: Any) -> None:
        with self._lock:
            _core.call(function, self._open(), *arguments)

    def _compose(self, function: Any, *arguments: Any) -> None:
        """A call that composes the charges of an account, which may be many; Ctrl-C stops it."""
        with self._lock:
            ledger = self._open()
            patiently(lambda: _core.call(function, ledger, *arguments))

    def _place(self, graph: Graph, how: Any, account: str | None = None, adjacency: str = "edge") -> Any:
        """The account that pays for data: its own, a declared one, or that of what it is a version of."""
        out = ffi.new("sotto_ledger_place_found *")
        self._call(lib.sotto_ledger_place, out, graph._data, NULL if account is None else _core.encoded(account, "name"),
                   adjacency != "node", how)
        forgotten = _core.text(out.forgotten)
        if forgotten:
            warnings.warn(f"{graph.name} does not remember its ledger, and another one would not be refused: {forgotten}",
                          stacklevel=3)
        return out

    def _key(self, account: Any) -> Any:
        if not isinstance(account, Graph):
            return _key(account)
        return ffi.new("uint8_t[32]", bytes(ffi.buffer(self._place(account, lib.SOTTO_PLACING_LOOK).account.key)))

    def close(self) -> None:
        """Closes it; again does nothing."""
        with self._lock:
            if self._ledger is not None:
                ffi.release(self._ledger)
                self._ledger = None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self.path!r}{', closed' if self._ledger is None else ''})"

    def set_budget(self, account: Any, *, epsilon: float, delta: float, adjacency: str = "edge", reason: str = "",
                   name: str | None = None) -> None:
        """Sets or changes the budget of an account under one adjacency.

        Parameters
        ----------
        account : Graph, or bytes or str
            Data, or the key of an account (32 bytes, or 64 hexadecimal digits).
        epsilon, delta : float
            Above 0; 0 to 1.
        adjacency : {"transfer", "edge", "node"}, optional
        reason : str, optional
            Recorded in the chain.
        name : str, optional
            What people call the account; default: the name that it has, or that of the graph.

        Notes
        -----
        A graph that is a version of known data has the account of that. One that was read from a file remembers this
        ledger from here on (``FILE.ledger``), and another ledger raises `BudgetExceeded`.
        """
        budget = ffi.new("sotto_budget *", [_core.real(epsilon, "epsilon"), _core.real(delta, "delta")])
        key, shown = None, name if name is not None else "account"
        if isinstance(account, Graph):
            found = self._place(account, lib.SOTTO_PLACING_KNOW, adjacency=adjacency)
            key, shown = found.account.key, name if name is not None else _core.text(found.account.name)
        self._compose(lib.sotto_ledger_set_budget, _key(account) if key is None else key, _core.encoded(shown, "name"),
                      _core.encoded(adjacency, "adjacency"), budget, _core.encoded(reason, "reason"))

    def spent(self, account: Any, adjacency: str = "edge") -> dict[str, Any]:
        """What an account has spent: `charges`, `mu`, `pure_epsilon`, `epsilon` at `delta`, and `budget` or None.

        `unprotected` counts charges and runs that protect nothing at this level: with any, `epsilon` bounds nothing.
        """
        out = ffi.new("sotto_spent *")
        self._compose(lib.sotto_ledger_spent, out, self._key(account), _core.encoded(adjacency, "adjacency"))
        budget = {"epsilon": out.budget.epsilon, "delta": out.budget.delta} if out.budget.epsilon > 0 else None
        return {"charges": int(out.charges), "unprotected": int(out.unprotected), "mu": out.mu,
                "pure_epsilon": out.pure_epsilon, "epsilon": out.epsilon, "delta": out.delta, "budget": budget}

    def plot(self, account: Any, adjacency: str = "edge", ax: Any = None) -> Any:
        """Draws the charges of an account, a bar each, with lines at what they are together and at the budget.

        Parameters
        ----------
        account : Graph, or bytes or str
            As `spent` takes it.
        adjacency : {"transfer", "edge", "node"}, optional
        ax : matplotlib Axes, optional
            Where to draw; default: a figure of its own.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        NotFound
            matplotlib is not installed.
        """
        from . import _plots
        return _plots.ledger(self.charges(account), self.spent(account, adjacency), adjacency, ax)

    def _repr_html_(self) -> str:
        from ._shown import table
        try:
            rows = [(one["name"], one["account"][:12], *_spent_of(self, one)) for one in self.accounts()]
        except errors.Error:  # a closed ledger is shown as text
            return f"<pre>{html.escape(repr(self))}</pre>"
        return table(("account", "key", "charges", "epsilon", "budget", "level"), rows)

    def _visit(self, function: Any, callback: Any, *arguments: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        handle = ffi.new_handle(rows)
        self._call(function, *arguments, callback, handle)
        return rows

    def charges(self, account: Any = None) -> list[dict[str, Any]]:
        """Every charge, oldest first; of one account where it is given."""
        return self._visit(lib.sotto_ledger_visit, lib.sotto_py_charge,
                           NULL if account is None else self._key(account))

    def changes(self, account: Any = None) -> list[dict[str, Any]]:
        """Every entry that is no charge: budgets, accounts, locks, runs that a budget does not cover."""
        return self._visit(lib.sotto_ledger_visit_changes, lib.sotto_py_change,
                           NULL if account is None else self._key(account))

    def accounts(self) -> list[dict[str, Any]]:
        """Every account that is not a part of another."""
        return self._visit(lib.sotto_ledger_visit_accounts, lib.sotto_py_account)

    def new_account(self, name: str, reason: str = "") -> None:
        """Makes a named account, which outlives the files that are versions of it."""
        self._call(lib.sotto_ledger_account_new, _core.encoded(name, "name"), _core.encoded(reason, "reason"))

    def add_version(self, name: str, graph: Graph) -> None:
        """Makes data a version of a named account."""
        if not isinstance(graph, Graph):
            raise errors.InvalidArgument(f"graph: a Graph is wanted, not {type(graph).__name__}")
        self._place(graph, lib.SOTTO_PLACING_KNOW, name)

    def move(self, path: str | os.PathLike[str], reason: str) -> None:
        """Charges data in a file, or a run folder, to this ledger from here on, and not to the one that it remembers."""
        self._call(lib.sotto_ledger_move, _core.encoded(path, "path"), _core.encoded(reason, "reason"))

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes the chain of entries for an auditor, as JSON."""
        self._call(lib.sotto_ledger_export, _core.encoded(path, "path"))

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copies the ledger, whole, to a new file."""
        self._call(lib.sotto_ledger_backup, _core.encoded(path, "path"))

    def prove(self) -> dict[str, Any]:
        """Number of entries, the owner's public key and the hash of the last entry."""
        out = ffi.new("sotto_ledger_proof *")
        self._call(lib.sotto_ledger_prove, out)
        return _proof(out)


def verify_export(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Verifies an export without the ledger; as `Ledger.prove`."""
    out = ffi.new("sotto_ledger_proof *")
    _core.call(lib.sotto_ledger_verify_export, out, _core.encoded(path, "path"))
    return _proof(out)


def _spent_of(ledger: Ledger, account: dict[str, Any]) -> tuple[str, ...]:
    """At the first level with a budget, else at edge level: charges, epsilon, budget, and the level."""
    adjacency = next((level for level in ("transfer", "edge", "node") if account[level] is not None), "edge")
    spent = ledger.spent(account["account"], adjacency)
    bounded = f"{spent['epsilon']:.4g}" if not spent["unprotected"] else "no bound"
    budget = "none" if spent["budget"] is None else f"{spent['budget']['epsilon']:.4g}"
    return str(spent["charges"]), bounded, budget, adjacency


def _proof(out: Any) -> dict[str, Any]:
    return {"entries": int(out.entries), "owner": _hex(out.owner), "head": _hex(out.head)}


def _hex(field: Any) -> str:
    return bytes(ffi.buffer(field)).hex()


def _budget(field: Any) -> dict[str, float] | None:
    return {"epsilon": field.epsilon, "delta": field.delta} if field.epsilon > 0 else None


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def sotto_py_charge(context: Any, row: Any) -> int:
    charge = row.charge
    ffi.from_handle(context).append({
        "account": _hex(row.digest), "name": _core.text(row.name), "time": _core.text(row.time),
        "id": _core.text(charge.id), "run": _core.text(charge.run), "mechanism": _core.text(charge.mechanism),
        "adjacency": _core.text(charge.adjacency), "description": _core.text(charge.description), "mu": charge.mu,
        "epsilon": charge.epsilon, "insecure": bool(charge.insecure)})
    return 0


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def sotto_py_change(context: Any, change: Any) -> int:
    ffi.from_handle(context).append({
        "number": int(change.number), "kind": _core.text(change.kind), "account": _hex(change.key),
        "budget": _budget(change.budget),
        **{name: _core.text(getattr(change, name)) for name in ("time", "user", "name", "adjacency", "reason", "run")}})
    return 0


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def sotto_py_account(context: Any, account: Any) -> int:
    ffi.from_handle(context).append({
        "account": _hex(account.key), "name": _core.text(account.name), "named": bool(account.named),
        "locked": bool(account.locked), "closed": bool(account.closed), "transfer": _budget(account.transfer), "edge": _budget(account.edge),
        "node": _budget(account.node)})
    return 0
