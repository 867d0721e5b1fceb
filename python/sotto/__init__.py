"""Graph neural networks across organisations, with privacy that is accounted for.

The same library as the program `sotto`. Nothing else is imported before it is needed: not numpy, never torch.

Examples
--------
>>> import sotto
>>> graph = sotto.generate("sbm", nodes=300, classes=2, features=8, degree_inside=6, degree_outside=1, seed=1)
>>> model = sotto.GNN(epochs=5, seed=1).fit(graph)
>>> model.predict_proba().shape
(300, 2)
"""
from __future__ import annotations

from ._core import get_threads, kernels, set_threads, version
from .errors import (BudgetExceeded, Busy, Closed, CorruptData, Error, ForkedProcess, Interrupted, InvalidArgument,
                     IOFailure, NotFinite, NotFitted, NotFound, OutOfMemory, OutOfRange, ParseError, ProtocolError,
                     Unsupported)

TYPE_CHECKING = False  # typing's own would be the dearest import of all
if TYPE_CHECKING:
    from typing import Any

    from . import accounting as accounting
    from . import align as align
    from . import audit as audit
    from . import estimators as estimators
    from . import gw as gw
    from . import identity as identity
    from . import ledger as ledger
    from . import mlflow as mlflow
    from ._options import methods as methods
    from .estimators import DPDGC as DPDGC
    from .estimators import GAP as GAP
    from .estimators import GNN as GNN
    from .estimators import GWLDP as GWLDP
    from .estimators import MLP as MLP
    from .estimators import SAGE as SAGE
    from .estimators import VFGNN as VFGNN
    from .estimators import Best as Best
    from .estimators import Caribou as Caribou
    from .estimators import FedAvg as FedAvg
    from .estimators import FedDEP as FedDEP
    from .estimators import FedSage as FedSage
    from .estimators import FedSagePlus as FedSagePlus
    from .estimators import GlobSage as GlobSage
    from .estimators import LocSage as LocSage
    from .estimators import LPGNet as LPGNet
    from .estimators import PertGraph as PertGraph
    from .estimators import ProGAP as ProGAP
    from .estimators import SecureGNN as SecureGNN
    from .estimators import Vesper as Vesper
    from ._table import import_table as import_table
    from .generate import generate as generate
    from .graph import Graph as Graph
    from .graph import load as load
    from .ledger import Ledger as Ledger
    from .model import LoadedModel as LoadedModel
    from .model import load_model as load_model
    from .party import Party as Party
    from .party import simulate as simulate
    from .schema import Column as Column
    from .schema import Schema as Schema
    from .statement import Guarantee as Guarantee
    from .statement import Statement as Statement
    from .statement import guarantee as guarantee

_ESTIMATORS = ("Best", "GAP", "ProGAP", "Caribou", "DPDGC", "LPGNet", "PertGraph", "SAGE", "GNN", "MLP", "Vesper",
               "VFGNN", "SecureGNN", "FedDEP", "FedSagePlus", "FedSage", "LocSage", "GlobSage", "FedAvg", "GWLDP")
_HOMES = {"Graph": "graph", "load": "graph", "import_table": "_table", "generate": "generate", "Ledger": "ledger", "LoadedModel": "model",
          "load_model": "model", "Party": "party", "simulate": "party", "Statement": "statement",
          "Column": "schema", "Schema": "schema",
          "Guarantee": "statement", "guarantee": "statement",
          "methods": "_options", **dict.fromkeys(_ESTIMATORS, "estimators")}
_MODULES = ("accounting", "align", "audit", "estimators", "gw", "identity", "ledger", "mlflow")

__version__ = version()
__all__ = ["BudgetExceeded", "Busy", "Closed", "CorruptData", "Error", "ForkedProcess", "IOFailure", "Interrupted",
           "InvalidArgument", "NotFinite", "NotFitted", "NotFound", "OutOfMemory", "OutOfRange", "ParseError",
           "ProtocolError", "Unsupported", "get_threads", "kernels", "set_threads", "version", "Best", "Caribou",
           "DPDGC", "FedAvg", "FedDEP", "FedSage", "FedSagePlus", "GAP", "GNN", "GWLDP", "GlobSage", "Graph", "LPGNet",
           "Ledger", "LoadedModel", "LocSage", "MLP", "Party", "PertGraph", "ProGAP", "SAGE", "SecureGNN", "Statement",
           "VFGNN", "Vesper", "Column", "Schema", "import_table", "Guarantee", "generate", "guarantee", "load", "load_model", "methods", "simulate",
           "accounting", "align", "audit",
           "estimators", "gw", "identity", "ledger", "mlflow"]


def __getattr__(name: str) -> Any:
    import importlib
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _HOMES:
        found = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
