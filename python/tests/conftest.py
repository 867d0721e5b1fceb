"""A ledger and a home of their own for each test, and graphs that the tests share."""
import os
import pathlib

import numpy as np
import pytest

import sotto


@pytest.fixture(autouse=True)
def own_ledger(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """$SOTTO_LEDGER of the test."""
    path = tmp_path / "ledger.db"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SOTTO_LEDGER", str(path))
    monkeypatch.setenv("SOTTO_LEDGER_KEY", str(tmp_path / "ledger.key"))
    sotto.Ledger.create(path).close()
    return path


@pytest.fixture(scope="session")
def arrays() -> dict[str, np.ndarray]:
    """Arrays of a small graph with two classes."""
    graph = sotto.generate("sbm", nodes=300, classes=2, features=8, degree_inside=6, degree_outside=1,
                           feature_signal=2, seed=3)
    offsets, neighbours = graph.adjacency
    sources = np.repeat(np.arange(300), np.diff(offsets.astype(np.int64)))
    return {"edges": np.stack([sources, neighbours.astype(np.int64)]), "x": np.array(graph.x), "y": np.array(graph.y)}


@pytest.fixture(scope="session")
def graph(arrays: dict[str, np.ndarray]) -> sotto.Graph:
    """The same as a graph."""
    return sotto.Graph(arrays["edges"], arrays["x"], arrays["y"], name="sbm")


@pytest.fixture
def loopback() -> str:
    """An address of this process's own on the loopback."""
    number = os.getpid()
    return f"127.{1 + number // 65536 % 250}.{number // 256 % 256}.{1 + number % 250}"
