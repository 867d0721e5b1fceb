"""Parquet and Arrow are read by the rules of tables."""
import pathlib
import sys

import numpy as np
import pytest

import sotto

IDS = ["ann", "bob", "eve"]


@pytest.fixture(name="frames")
def tables(tmp_path: pathlib.Path):
    """A list of edges and a table of nodes of pyarrow, and the folder for their files."""
    pa = pytest.importorskip("pyarrow")
    edges = pa.table({"payer": ["ann", "bob"], "payee": ["bob", "eve"], "amount": [1.5, 2.0]})
    nodes = pa.table({"id": IDS, "age": pa.array([31, None, 45], pa.int32()),
                      "since": pa.array([0, 1, 366], pa.date32()),
                      "zip": ["02116", "10001", "02116"],
                      "city": pa.array(["Ulm", "Bonn, Rhein", "Ulm"]).dictionary_encode(),
                      "label": ["u", "v", None]})
    return edges, nodes, tmp_path


def test_parquet_and_feather_are_read_as_the_csv_would_be(frames) -> None:
    import pyarrow.feather
    import pyarrow.parquet
    edges, nodes, folder = frames
    pyarrow.parquet.write_table(edges, folder / "e.parquet")
    pyarrow.feather.write_feather(nodes, folder / "n.feather", compression="uncompressed")
    graph = sotto.import_table(folder / "e.parquet", folder / "n.feather", missing="zero")
    assert (graph.num_nodes, graph.num_edges, graph.name) == (3, 2, "e")
    # age, since, zip=02116, zip=10001, city=Bonn, city=Ulm
    assert np.array_equal(graph.x, [[31, -10957, 1, 0, 0, 1], [0, -10956, 0, 1, 1, 0], [45, -10591, 1, 0, 0, 1]])
    assert list(graph.y) == [0, 1, -1]
    assert not list(pathlib.Path("/dev/shm").glob("sotto-table-*"))


def test_a_table_may_be_csv_and_the_other_parquet(frames) -> None:
    import pyarrow.parquet
    _, nodes, folder = frames
    (folder / "e.csv").write_text("source,target\nann,bob\n")
    pyarrow.parquet.write_table(nodes, folder / "n.parquet")
    graph = sotto.import_table(folder / "e.csv", folder / "n.parquet", missing="zero", types={"zip": "drop"})
    assert graph.x.shape == (3, 4)


def test_what_is_not_clear_is_asked_as_of_a_csv(frames) -> None:
    import pyarrow as pa
    import pyarrow.parquet
    edges, _, folder = frames
    pyarrow.parquet.write_table(edges, folder / "e.parquet")
    pyarrow.parquet.write_table(pa.table({"id": IDS, "account": [1234567890123, 2, 3]}), folder / "n.parquet")
    with pytest.raises(sotto.InvalidArgument, match="more digits than a feature holds"):
        sotto.import_table(folder / "e.parquet", folder / "n.parquet")


def test_lists_and_other_files_are_refused(frames) -> None:
    import pyarrow as pa
    import pyarrow.parquet
    edges, _, folder = frames
    pyarrow.parquet.write_table(edges, folder / "e.parquet")
    pyarrow.parquet.write_table(pa.table({"id": IDS, "x": [[1], [2], [3]]}), folder / "n.parquet")
    with pytest.raises(sotto.Unsupported, match="column 'x' is of list"):
        sotto.import_table(folder / "e.parquet", folder / "n.parquet")
    (folder / "no.parquet").write_text("id,x\n")
    with pytest.raises(sotto.ParseError, match="is not Parquet"):
        sotto.import_table(folder / "no.parquet")
    with pytest.raises(sotto.NotFound, match="there is no such file"):
        sotto.import_table(folder / "absent.parquet")


def test_without_pyarrow_the_error_names_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(sotto.Unsupported, match="pip install pyarrow"):
        sotto.import_table(tmp_path / "e.parquet")
