"""One estimator for each method of the library; parameters and docstrings come from the library's tables."""
from __future__ import annotations

from ._estimator import Estimator


class Best(Estimator):
    method = "best"


class GAP(Estimator):
    method = "gap"


class ProGAP(Estimator):
    method = "progap"


class Caribou(Estimator):
    method = "caribou"


class DPDGC(Estimator):
    method = "dpdgc"


class LPGNet(Estimator):
    method = "lpgnet"


class PertGraph(Estimator):
    method = "pertgraph"


class SAGE(Estimator):
    method = "sage"


class GNN(Estimator):
    method = "gnn"


class MLP(Estimator):
    method = "mlp"


class Vesper(Estimator):
    method = "vesper"


class VFGNN(Estimator):
    method = "vfgnn"


class SecureGNN(Estimator):
    method = "securegnn"


class FedDEP(Estimator):
    method = "feddep"


class FedSagePlus(Estimator):
    method = "fedsage+"


class FedSage(Estimator):
    method = "fedsage"


class LocSage(Estimator):
    method = "locsage"


class GlobSage(Estimator):
    method = "globsage"


class FedAvg(Estimator):
    method = "fedavg"


class GWLDP(Estimator):
    method = "gwldp"


BY_METHOD: dict[str, type[Estimator]] = {kind.method: kind for kind in Estimator.__subclasses__()}
