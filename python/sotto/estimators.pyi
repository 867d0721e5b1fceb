# Written by python/extension/stubs.py from the library's tables.
from os import PathLike
from typing import ClassVar, Literal

from ._estimator import Estimator as Estimator
from .ledger import Ledger

class Best(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "transfer", "edge", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    read_share: float | None
    encoder_share: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "transfer", "edge", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        read_share: float | None = None,
        encoder_share: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
    ) -> None: ...

class GAP(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    aggregator: Literal["gin", "gcn", "mean"] | None
    layers: int | None
    degree_floor: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    release_activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    combine: Literal["cat", "sum", "max", "mean", "attention"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    encoder_cache: str | PathLike[str] | None
    row_clip: float | None
    row_sign: Literal["signed", "nonnegative"] | None
    encoder_share: float | None
    release_share: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        aggregator: Literal["gin", "gcn", "mean"] | None = None,
        layers: int | None = None,
        degree_floor: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        release_activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        combine: Literal["cat", "sum", "max", "mean", "attention"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        encoder_cache: str | PathLike[str] | None = None,
        row_clip: float | None = None,
        row_sign: Literal["signed", "nonnegative"] | None = None,
        encoder_share: float | None = None,
        release_share: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
    ) -> None: ...

class ProGAP(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    aggregator: Literal["gin", "gcn", "mean"] | None
    layers: int | None
    degree_floor: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    combine: Literal["cat", "sum", "max", "mean", "attention"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    row_clip: float | None
    row_sign: Literal["signed", "nonnegative"] | None
    encoder_share: float | None
    release_share: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        aggregator: Literal["gin", "gcn", "mean"] | None = None,
        layers: int | None = None,
        degree_floor: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        combine: Literal["cat", "sum", "max", "mean", "attention"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        row_clip: float | None = None,
        row_sign: Literal["signed", "nonnegative"] | None = None,
        encoder_share: float | None = None,
        release_share: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
    ) -> None: ...

class Caribou(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node"] | None
    accounting: Literal["sound", "paper"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    as_published: bool | None
    aggregator: Literal["gcn"] | None
    layers: int | None
    degree_floor: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    combine: Literal["cat", "sum", "max", "mean", "attention"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    encoder_cache: str | PathLike[str] | None
    row_clip: float | None
    encoder_share: float | None
    release_share: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    contraction: float | None
    alpha: float | None
    beta: float | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node"] | None = None,
        accounting: Literal["sound", "paper"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        as_published: bool | None = None,
        aggregator: Literal["gcn"] | None = None,
        layers: int | None = None,
        degree_floor: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        combine: Literal["cat", "sum", "max", "mean", "attention"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        encoder_cache: str | PathLike[str] | None = None,
        row_clip: float | None = None,
        encoder_share: float | None = None,
        release_share: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
        contraction: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
    ) -> None: ...

class DPDGC(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "k-neighbour", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    row_clip: float | None
    encoder_share: float | None
    release_share: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    neighbours: int | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "k-neighbour", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        row_clip: float | None = None,
        encoder_share: float | None = None,
        release_share: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
        neighbours: int | None = None,
    ) -> None: ...

class LPGNet(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    encoder_share: float | None
    release_share: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        encoder_share: float | None = None,
        release_share: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
    ) -> None: ...

class PertGraph(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    fan_out: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    publication: Literal["asymmetric", "edgerand", "lapgraph"] | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
        publication: Literal["asymmetric", "edgerand", "lapgraph"] | None = None,
    ) -> None: ...

class SAGE(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "node"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    publish_accuracy: float | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    fan_out: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        publish_accuracy: float | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
    ) -> None: ...

class GNN(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge"] | None
    max_degree: int | None
    degree_cut: bool | None
    aggregator: Literal["gin", "gcn", "mean"] | None
    layers: int | None
    degree_floor: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    release_activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    combine: Literal["cat", "gru"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    release_width: int | None
    constant: float | None
    release_scale: Literal["unit", "raw"] | None
    layer_weights: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge"] | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        aggregator: Literal["gin", "gcn", "mean"] | None = None,
        layers: int | None = None,
        degree_floor: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        release_activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        combine: Literal["cat", "gru"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        release_width: int | None = None,
        constant: float | None = None,
        release_scale: Literal["unit", "raw"] | None = None,
        layer_weights: bool | None = None,
    ) -> None: ...

class MLP(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node"] | None
    epsilon: float | None
    delta: float | None
    publish_accuracy: float | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    batch_rate: float | None
    clip: float | None
    steps: int | None
    release_width: int | None
    label_epsilon: float | None
    label_features: float | None
    wire: Literal["float32", "bf16", "int8"] | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        publish_accuracy: float | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        steps: int | None = None,
        release_width: int | None = None,
        label_epsilon: float | None = None,
        label_features: float | None = None,
        wire: Literal["float32", "bf16", "int8"] | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

class Vesper(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "transfer", "edge", "node"] | None
    accounting: Literal["sound", "paper"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    as_published: bool | None
    aggregator: Literal["gin", "gcn", "mean"] | None
    layers: int | None
    degree_floor: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    release_activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    combine: Literal["cat", "gru"] | None
    dropout: float | None
    fan_out: int | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    row_clip: float | None
    row_sign: Literal["signed", "nonnegative"] | None
    encoder_share: float | None
    release_width: int | None
    constant: float | None
    release_scale: Literal["unit", "raw"] | None
    releases: int | None
    layer_weights: bool | None
    label_edges: float | None
    publication: Literal["layers", "gap", "vfgnn", "counts"] | None
    clusters: Literal["predictions", "labels"] | None
    share_features: Literal["no", "once"] | None
    read_share: float | None
    label_epsilon: float | None
    label_features: float | None
    holders: int | None
    partition: str | None
    wire: Literal["float32", "bf16", "int8"] | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "transfer", "edge", "node"] | None = None,
        accounting: Literal["sound", "paper"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        as_published: bool | None = None,
        aggregator: Literal["gin", "gcn", "mean"] | None = None,
        layers: int | None = None,
        degree_floor: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        release_activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        combine: Literal["cat", "gru"] | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        row_clip: float | None = None,
        row_sign: Literal["signed", "nonnegative"] | None = None,
        encoder_share: float | None = None,
        release_width: int | None = None,
        constant: float | None = None,
        release_scale: Literal["unit", "raw"] | None = None,
        releases: int | None = None,
        layer_weights: bool | None = None,
        label_edges: float | None = None,
        publication: Literal["layers", "gap", "vfgnn", "counts"] | None = None,
        clusters: Literal["predictions", "labels"] | None = None,
        share_features: Literal["no", "once"] | None = None,
        read_share: float | None = None,
        label_epsilon: float | None = None,
        label_features: float | None = None,
        holders: int | None = None,
        partition: str | None = None,
        wire: Literal["float32", "bf16", "int8"] | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

class VFGNN(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge"] | None
    accounting: Literal["sound", "paper"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    as_published: bool | None
    aggregator: Literal["mean", "gin", "gcn", "gat"] | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    combine: Literal["cat", "mean", "regression"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    publication: Literal["rows", "counts"] | None
    read_share: float | None
    holders: int | None
    label_holder: int | None
    partition: str | None
    estimator: Literal["gaussian", "james-stein"] | None
    initial: Literal["collaboratively", "individually", "opened"] | None
    hop_rate: float | None
    feature_bound: float | None
    wire: Literal["float32", "bf16", "int8"] | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge"] | None = None,
        accounting: Literal["sound", "paper"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        as_published: bool | None = None,
        aggregator: Literal["mean", "gin", "gcn", "gat"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        combine: Literal["cat", "mean", "regression"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        publication: Literal["rows", "counts"] | None = None,
        read_share: float | None = None,
        holders: int | None = None,
        label_holder: int | None = None,
        partition: str | None = None,
        estimator: Literal["gaussian", "james-stein"] | None = None,
        initial: Literal["collaboratively", "individually", "opened"] | None = None,
        hop_rate: float | None = None,
        feature_bound: float | None = None,
        wire: Literal["float32", "bf16", "int8"] | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

class SecureGNN(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["l2", "standard", "none", "suited"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge"] | None
    max_degree: int | None
    aggregator: Literal["mean"] | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    epochs: int | None
    patience: int | None
    select_by: Literal["accuracy", "auc", "macro_f1"] | None
    learning_rate: float | None
    weight_decay: float | None
    holders: int | None
    label_holder: int | None
    partition: str | None
    hop_rate: float | None
    feature_bound: float | None
    edges_per_node: float | None
    idle_limit: float | None
    grace: float | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["l2", "standard", "none", "suited"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge"] | None = None,
        max_degree: int | None = None,
        aggregator: Literal["mean"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select_by: Literal["accuracy", "auc", "macro_f1"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        holders: int | None = None,
        label_holder: int | None = None,
        partition: str | None = None,
        hop_rate: float | None = None,
        feature_bound: float | None = None,
        edges_per_node: float | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
    ) -> None: ...

class FedDEP(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    as_published: bool | None
    aggregator: Literal["mean", "sage"] | None
    layers: int | None
    degree_floor: int | None
    hidden: int | None
    dropout: float | None
    fan_out: int | None
    encoder_epochs: int | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    partition: str | None
    rounds: int | None
    fraction: float | None
    optimiser: Literal["adam", "sgd", "server-adam"] | None
    prox_mu: float | None
    local_momentum: float | None
    secure_aggregation: bool | None
    client_keys: str | None
    sum_neighbours: int | None
    generator_epochs: int | None
    generator_weights: str | None
    cross_fit: int | None
    embed_layers: int | None
    embed_epochs: int | None
    prototypes: str | None
    prototype_rate: float | None
    prototype_noise: float | None
    generate: Literal["embeddings", "embeddings-once", "features"] | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        as_published: bool | None = None,
        aggregator: Literal["mean", "sage"] | None = None,
        layers: int | None = None,
        degree_floor: int | None = None,
        hidden: int | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        fraction: float | None = None,
        optimiser: Literal["adam", "sgd", "server-adam"] | None = None,
        prox_mu: float | None = None,
        local_momentum: float | None = None,
        secure_aggregation: bool | None = None,
        client_keys: str | None = None,
        sum_neighbours: int | None = None,
        generator_epochs: int | None = None,
        generator_weights: str | None = None,
        cross_fit: int | None = None,
        embed_layers: int | None = None,
        embed_epochs: int | None = None,
        prototypes: str | None = None,
        prototype_rate: float | None = None,
        prototype_noise: float | None = None,
        generate: Literal["embeddings", "embeddings-once", "features"] | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

class FedSagePlus(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none"] | None
    max_degree: int | None
    degree_cut: bool | None
    aggregator: Literal["mean", "sage"] | None
    layers: int | None
    hidden: int | None
    dropout: float | None
    fan_out: int | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    partition: str | None
    rounds: int | None
    fraction: float | None
    optimiser: Literal["adam", "sgd", "server-adam"] | None
    prox_mu: float | None
    local_momentum: float | None
    secure_aggregation: bool | None
    client_keys: str | None
    sum_neighbours: int | None
    generator_epochs: int | None
    generator_weights: str | None
    idle_limit: float | None
    grace: float | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none"] | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        aggregator: Literal["mean", "sage"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        fraction: float | None = None,
        optimiser: Literal["adam", "sgd", "server-adam"] | None = None,
        prox_mu: float | None = None,
        local_momentum: float | None = None,
        secure_aggregation: bool | None = None,
        client_keys: str | None = None,
        sum_neighbours: int | None = None,
        generator_epochs: int | None = None,
        generator_weights: str | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
    ) -> None: ...

class FedSage(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    aggregator: Literal["mean", "sage"] | None
    layers: int | None
    hidden: int | None
    dropout: float | None
    fan_out: int | None
    encoder_epochs: int | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    least_clients: int | None
    partition: str | None
    rounds: int | None
    fraction: float | None
    optimiser: Literal["adam", "sgd", "server-adam"] | None
    prox_mu: float | None
    local_momentum: float | None
    secure_aggregation: bool | None
    client_keys: str | None
    sum_neighbours: int | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        aggregator: Literal["mean", "sage"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        least_clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        fraction: float | None = None,
        optimiser: Literal["adam", "sgd", "server-adam"] | None = None,
        prox_mu: float | None = None,
        local_momentum: float | None = None,
        secure_aggregation: bool | None = None,
        client_keys: str | None = None,
        sum_neighbours: int | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

class LocSage(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none"] | None
    max_degree: int | None
    degree_cut: bool | None
    aggregator: Literal["mean", "sage"] | None
    layers: int | None
    hidden: int | None
    dropout: float | None
    fan_out: int | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    partition: str | None
    rounds: int | None
    optimiser: Literal["adam", "sgd"] | None
    local_momentum: float | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none"] | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        aggregator: Literal["mean", "sage"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        optimiser: Literal["adam", "sgd"] | None = None,
        local_momentum: float | None = None,
    ) -> None: ...

class GlobSage(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none"] | None
    max_degree: int | None
    degree_cut: bool | None
    aggregator: Literal["mean", "sage"] | None
    layers: int | None
    hidden: int | None
    dropout: float | None
    fan_out: int | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    partition: str | None
    rounds: int | None
    optimiser: Literal["adam", "sgd"] | None
    local_momentum: float | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none"] | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        aggregator: Literal["mean", "sage"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        dropout: float | None = None,
        fan_out: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        optimiser: Literal["adam", "sgd"] | None = None,
        local_momentum: float | None = None,
    ) -> None: ...

class FedAvg(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "edge", "node", "graph", "client"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    degree_cut: bool | None
    aggregator: Literal["gcn", "gin", "sage"] | None
    layers: int | None
    hidden: int | None
    activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None
    dropout: float | None
    encoder_epochs: int | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    least_clients: int | None
    partition: str | None
    rounds: int | None
    fraction: float | None
    optimiser: Literal["adam", "sgd", "server-adam"] | None
    prox_mu: float | None
    local_momentum: float | None
    secure_aggregation: bool | None
    client_keys: str | None
    sum_neighbours: int | None
    update_bound: float | None
    batch_rate: float | None
    clip: float | None
    noise: Literal["distributed", "central", "local"] | None
    leaving_share: float | None
    colluding_share: float | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "edge", "node", "graph", "client"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        degree_cut: bool | None = None,
        aggregator: Literal["gcn", "gin", "sage"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        activation: Literal["none", "relu", "selu", "tanh", "sigmoid"] | None = None,
        dropout: float | None = None,
        encoder_epochs: int | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        least_clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        fraction: float | None = None,
        optimiser: Literal["adam", "sgd", "server-adam"] | None = None,
        prox_mu: float | None = None,
        local_momentum: float | None = None,
        secure_aggregation: bool | None = None,
        client_keys: str | None = None,
        sum_neighbours: int | None = None,
        update_bound: float | None = None,
        batch_rate: float | None = None,
        clip: float | None = None,
        noise: Literal["distributed", "central", "local"] | None = None,
        leaving_share: float | None = None,
        colluding_share: float | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

class GWLDP(Estimator):
    method: ClassVar[str]
    classes: int | None
    task: Literal["classification", "regression"] | None
    split: Literal["random", "planetoid", "kfold", "time"] | None
    train_share: float | None
    validation_share: float | None
    folds: int | None
    feature_scale: Literal["suited", "l2", "none"] | None
    seeds: int | None
    seed: int | None
    alert_rate: str | None
    insecure_seed: int | None
    checkpoint_every: int | None
    ledger: str | PathLike[str] | Ledger | None
    account: str | None
    anyway: Literal["ask", "not-private", "gain"] | None
    out: str | PathLike[str] | None
    threads: int | None
    resume: bool | None
    adjacency: Literal["none", "graph"] | None
    epsilon: float | None
    delta: float | None
    max_degree: int | None
    as_published: bool | None
    aggregator: Literal["gcn", "gin", "sage"] | None
    layers: int | None
    hidden: int | None
    dropout: float | None
    epochs: int | None
    learning_rate: float | None
    weight_decay: float | None
    batch_size: int | None
    clients: int | None
    least_clients: int | None
    partition: str | None
    rounds: int | None
    fraction: float | None
    optimiser: Literal["adam", "sgd", "server-adam"] | None
    prox_mu: float | None
    local_momentum: float | None
    secure_aggregation: bool | None
    client_keys: str | None
    sum_neighbours: int | None
    publication: Literal["code", "multibit"] | None
    anchors: str | None
    embed_every: int | None
    estimator: Literal["codes", "unbiased"] | None
    idle_limit: float | None
    grace: float | None
    record_wire: bool | None
    def __init__(
        self,
        *,
        classes: int | None = None,
        task: Literal["classification", "regression"] | None = None,
        split: Literal["random", "planetoid", "kfold", "time"] | None = None,
        train_share: float | None = None,
        validation_share: float | None = None,
        folds: int | None = None,
        feature_scale: Literal["suited", "l2", "none"] | None = None,
        seeds: int | None = None,
        seed: int | None = None,
        alert_rate: str | None = None,
        insecure_seed: int | None = None,
        checkpoint_every: int | None = None,
        ledger: str | PathLike[str] | Ledger | None = None,
        account: str | None = None,
        anyway: Literal["ask", "not-private", "gain"] | None = None,
        out: str | PathLike[str] | None = None,
        threads: int | None = None,
        resume: bool | None = None,
        adjacency: Literal["none", "graph"] | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        max_degree: int | None = None,
        as_published: bool | None = None,
        aggregator: Literal["gcn", "gin", "sage"] | None = None,
        layers: int | None = None,
        hidden: int | None = None,
        dropout: float | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        clients: int | None = None,
        least_clients: int | None = None,
        partition: str | None = None,
        rounds: int | None = None,
        fraction: float | None = None,
        optimiser: Literal["adam", "sgd", "server-adam"] | None = None,
        prox_mu: float | None = None,
        local_momentum: float | None = None,
        secure_aggregation: bool | None = None,
        client_keys: str | None = None,
        sum_neighbours: int | None = None,
        publication: Literal["code", "multibit"] | None = None,
        anchors: str | None = None,
        embed_every: int | None = None,
        estimator: Literal["codes", "unbiased"] | None = None,
        idle_limit: float | None = None,
        grace: float | None = None,
        record_wire: bool | None = None,
    ) -> None: ...

BY_METHOD: dict[str, type[Estimator]]
