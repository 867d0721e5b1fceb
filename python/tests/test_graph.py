"""Graphs from arrays, matrices, frames and objects of other packages."""
import logging
import pathlib
import types

import numpy as np
import pytest
import scipy.sparse

import sotto


def test_features_of_float32_are_borrowed(arrays) -> None:
    graph = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    assert graph.x.ctypes.data == arrays["x"].ctypes.data
    assert not graph.x.flags.writeable


@pytest.mark.parametrize("change", [lambda x: x.astype(np.float64), np.asfortranarray, lambda x: x[::1][:, ::1].tolist(),
                                    lambda x: np.repeat(x, 2, axis=0)[::2]])
def test_other_features_are_copied_once_and_that_is_logged(arrays, caplog, change) -> None:
    with caplog.at_level(logging.DEBUG, logger="sotto"):
        graph = sotto.Graph(arrays["edges"], change(arrays["x"]), arrays["y"])
    assert np.array_equal(graph.x, arrays["x"])
    assert sum("copied as float32" in record.message for record in caplog.records) == 1


def test_the_features_outlive_their_names() -> None:
    graph = sotto.Graph([[0], [1]], x=np.full((2, 3), 7, dtype=np.float32))
    seen = graph.x
    del graph
    import gc
    gc.collect()
    assert (seen == 7).all()


def forms(arrays):
    """The same graph in many forms."""
    import networkx
    import pandas
    import polars
    edges, x, y = arrays["edges"], arrays["x"], arrays["y"]
    matrix = scipy.sparse.coo_matrix((np.ones(edges.shape[1]), (edges[0], edges[1])), shape=(300, 300))
    yield "transposed", (edges.T, x, y), {}
    yield "int32", (edges.astype(np.int32), x, y), {}
    yield "uint64", (edges.astype(np.uint64), x, y), {}
    yield "one way", (edges[:, edges[0] < edges[1]], x, y), {}
    yield "loops and repeats", (np.concatenate([edges, edges[:, :9], [[4], [4]]], axis=1), x, y), {}
    yield "pair", ((edges[0], edges[1]), x, y), {}
    yield "lists", (edges.tolist(), x.tolist(), y.tolist()), {}
    yield "csr", (matrix.tocsr(), x, y), {}
    yield "coo", (matrix, x, y), {}
    yield "adjacency", (None, x, y), {"adjacency": matrix.tocsc()}
    yield "sparse features", (edges, scipy.sparse.csr_matrix(x), y), {}
    yield "pandas", (pandas.DataFrame({"source": edges[0], "target": edges[1], "w": 1.0}),
                     pandas.DataFrame(x), pandas.Series(y)), {}
    yield "polars", (polars.DataFrame({"a": edges[0], "b": edges[1]}), polars.DataFrame(x),
                     polars.Series(y)), {}
    network = networkx.Graph()
    network.add_nodes_from((i, {"x": x[i], "y": int(y[i])}) for i in range(300))
    network.add_edges_from(edges.T.tolist())
    yield "networkx", (network,), {}
    yield "PyG", (types.SimpleNamespace(edge_index=Tensor(edges), x=Tensor(x), y=Tensor(y), train_mask=None,
                                        val_mask=None, test_mask=None, num_nodes=300),), {}


class Tensor:
    """What a torch tensor on the processor can do that matters here."""

    def __init__(self, array) -> None:
        self._array = array
        self.shape = array.shape

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self._array

    def __dlpack__(self, **options):
        raise AssertionError("an array of the processor needs no DLPack")


def test_all_forms_give_the_same_data(arrays, graph) -> None:
    for name, positional, named in forms(arrays):
        assert sotto.Graph(*positional, **named).digest == graph.digest, name


def test_a_tensor_is_borrowed(arrays) -> None:
    graph = sotto.Graph(Tensor(arrays["edges"]), Tensor(arrays["x"]))
    assert graph.x.ctypes.data == arrays["x"].ctypes.data


def test_dlpack_alone_is_enough(arrays) -> None:
    class Capsule:
        def __dlpack__(self, **options):
            return arrays["x"].__dlpack__(**options)

        def __dlpack_device__(self):
            return arrays["x"].__dlpack_device__()
    graph = sotto.Graph(arrays["edges"], Capsule())
    assert graph.x.ctypes.data == arrays["x"].ctypes.data


def test_ids_and_class_names_are_kept() -> None:
    import pandas
    people = pandas.DataFrame({"age": [31.0, 44, 27], "kind": ["good", None, "bad"]}, index=["ann", "bob", "eve"])
    graph = sotto.Graph(pandas.DataFrame({"source": ["ann", "eve"], "target": ["bob", "bob"]}), people, "kind")
    assert graph.ids == ["ann", "bob", "eve"]
    assert list(graph.classes) == ["bad", "good"]
    assert graph.y.tolist() == [1, -1, 0]
    assert graph.adjacency[1].tolist() == [1, 0, 2, 1]
    with pytest.raises(sotto.NotFound, match="'zoe'"):
        sotto.Graph(pandas.DataFrame({"source": ["zoe"], "target": ["bob"]}), people, "kind")


def test_a_column_of_polars_names_the_nodes() -> None:
    import polars
    people = polars.DataFrame({"who": ["ann", "bob"], "age": [31.0, 44.0]})
    graph = sotto.Graph(polars.DataFrame({"a": ["bob"], "b": ["ann"]}), people, ids="who")
    assert graph.ids == ["ann", "bob"] and graph.x.shape == (2, 1)


def test_names_alone_become_ids() -> None:
    graph = sotto.Graph((np.array(["b", "a"]), np.array(["c", "b"])))
    assert graph.ids == ["a", "b", "c"] and graph.num_edges == 2


def test_masks_and_indices_give_the_same_split(arrays) -> None:
    rows = {"train": np.arange(100), "validation": np.arange(100, 150), "test": np.arange(150, 300)}
    masks = {name: np.isin(np.arange(300), part) for name, part in rows.items()}
    by_rows, by_masks = (sotto.Graph(arrays["edges"], arrays["x"], arrays["y"], **how) for how in (rows, masks))
    assert by_rows.digest == by_masks.digest
    assert np.array_equal(by_rows.part("test"), masks["test"])
    model = sotto.GNN(split="planetoid", epochs=2).fit(by_rows)
    assert np.array_equal(model._model_for(None, None).part("test"), rows["test"])


def test_a_file_gives_the_same_as_arrays(graph, tmp_path: pathlib.Path) -> None:
    graph.save(tmp_path / "g.sotto")
    again = sotto.load(tmp_path / "g.sotto")
    assert again.digest == graph.digest and np.array_equal(again.x, graph.x)


def test_tables_are_read_as_is_said(tmp_path: pathlib.Path) -> None:
    (tmp_path / "shops.csv").write_text("customer,merchant\nann,bob\nbob,eve\n")
    (tmp_path / "people.csv").write_text('who,x,code,c\nann,"1,5",7,NA\nbob,"2.000,5",8,a\neve,3,7,b\n')
    path, how = tmp_path / "shops.csv", {"nodes": tmp_path / "people.csv", "header": True, "decimal": ","}
    with pytest.raises(sotto.InvalidArgument, match="may name the columns"):
        sotto.load(path)
    graph = sotto.load(path, **how, types={"c": "label", "code": "category"})
    assert graph.y.tolist() == [-1, 0, 1] and graph.x[:, 0].tolist() == [1.5, 2000.5, 3.0] and graph.x.shape == (3, 3)
    assert sotto.load(path, **how, label="c", missing_words=[]).y.max() == 2
    with pytest.raises(sotto.Error, match="TYPE"):
        sotto.load(path, **how, types={"c": "colour"})


@pytest.mark.parametrize("bad, kind", [
    (lambda a: sotto.Graph(a["edges"], a["x"][:5], a["y"]), sotto.InvalidArgument),
    (lambda a: sotto.Graph(a["edges"] + 10**6, a["x"]), sotto.OutOfRange),
    (lambda a: sotto.Graph(-a["edges"], a["x"]), sotto.OutOfRange),
    (lambda a: sotto.Graph(a["edges"], np.where(a["x"] > 1, np.nan, a["x"])), sotto.NotFinite),
    (lambda a: sotto.Graph(a["edges"], a["x"].astype(np.float64) * 1e300), sotto.NotFinite),
    (lambda a: sotto.Graph(a["edges"], a["x"], a["y"] - 2), sotto.OutOfRange),
    (lambda a: sotto.Graph(a["edges"], a["x"], a["y"] + 0.5, task="classification"), sotto.InvalidArgument),
    (lambda a: sotto.Graph(a["edges"], "x"), sotto.InvalidArgument),
    (lambda a: sotto.Graph(a["edges"] + 0.5, a["x"]), sotto.InvalidArgument),
    (lambda a: sotto.Graph("g.sotto"), sotto.InvalidArgument),
    (lambda a: sotto.Graph(), sotto.InvalidArgument),
    (lambda a: sotto.Graph(a["edges"], a["x"], train=[300]), sotto.OutOfRange),
    (lambda a: sotto.load("/nowhere/g.sotto"), sotto.NotFound),
])
def test_what_does_not_fit_is_refused(arrays, bad, kind) -> None:
    with pytest.raises(kind) as caught:
        bad(arrays)
    assert isinstance(caught.value, sotto.Error) and str(caught.value)


def test_large_sparse_features_stay_sparse_with_the_digest_of_dense_ones():
    rng = np.random.default_rng(1)
    x = scipy.sparse.random(3000, 3000, density=0.01, random_state=rng, dtype=np.float32)
    edges = rng.integers(0, 3000, (2, 6000))
    sparse, dense = sotto.Graph(edges, x), sotto.Graph(edges, x.toarray())
    assert sparse._data.features.data == sotto.graph.NULL
    assert dense._data.features.data != sotto.graph.NULL
    assert sparse.digest == dense.digest
    assert (sparse.x == dense.x).all() and not sparse.x.flags.writeable


def test_a_window_has_the_transfers_of_its_days():
    graph = sotto.generate("payments", nodes=600, pattern="passing", salaries=0.1)
    past = graph.window(before="2025-07-01")
    rest = graph.window(since="2025-07-01")
    assert past.num_nodes == 600 and past.transfers["times"].max() < rest.transfers["times"].min()
    assert len(past.transfers["times"]) + len(rest.transfers["times"]) == len(graph.transfers["times"])
    empty = graph.window(before="2001-01-01")
    assert empty.transfers is not None and len(empty.transfers["sources"]) == 0 and len(empty.adjacency[1]) == 0
    with pytest.raises(sotto.Error, match="no day"):
        graph.window(before="July")
    with pytest.raises(sotto.errors.InvalidArgument, match="pattern: 'fan' is none of limit, passing, cycles"):
        sotto.generate("payments", nodes=600, pattern="fan")


def test_transfers_keep_kinds_that_are_declared():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": [2, 0, 1], "target": [1, 1, 0], "how": ["card", "cash", "card"]})
    declared = sotto.Schema([], kinds=["cash", "card", "wire"])
    assert declared.kinds == ["cash", "card", "wire"] and sotto.Schema.from_yaml(declared.to_yaml()) == declared
    for kinds in ("how", [1, 0, 1]):
        graph = sotto.Graph(frame, x=np.eye(3, dtype=np.float32), kinds=kinds, schema=declared)
        assert graph.transfers["kinds"].tolist() == [0, 1, 1] and graph.kind_names == ["cash", "card", "wire"]
    for how, words in (({"kinds": "how"}, "have no names"), ({"kinds": [1, 0, 3], "schema": declared}, "element 2 is 3"),
                       ({"kinds": ["cash", "coin", "card"], "schema": declared}, "element 1, 'coin'"),
                       ({"kinds": [1, 0], "schema": declared}, "2 for 3 edges"),
                       ({"kinds": "what", "schema": declared}, "no column 'what'")):
        with pytest.raises(sotto.Error, match=words):
            sotto.Graph(frame, nodes=3, **how)


def test_transfers_keep_direction_amounts_and_times():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": [2, 0, 1, 0], "target": [1, 1, 0, 1], "amount": [5, 6, 7, 8],
                              "day": pandas.to_datetime(["2000-01-04", "2000-01-03", "2000-01-02", "2000-01-01"])})
    graph = sotto.Graph(frame, nodes=3, amounts="amount", times="day")
    assert graph.num_edges == 2
    assert graph.transfers["sources"].tolist() == [0, 1, 0, 2] and graph.transfers["targets"].tolist() == [1, 0, 1, 1]
    assert graph.transfers["amounts"].tolist() == [8, 7, 6, 5] and graph.transfers["times"].tolist() == [0, 1, 2, 3]
    assert sotto.Graph(frame, nodes=3).transfers is None
    assert set(sotto.Graph(frame, nodes=3, directed=True).transfers) == {"sources", "targets"}
    for how, words in (({"amounts": [1, 2]}, "2 for 4 edges"), ({"amounts": "sum"}, "no column 'sum'"),
                       ({"amounts": [1, 2, 3, -4]}, "below 0"), ({"times": [1, 2, 3, np.nan]}, "no day of the years")):
        with pytest.raises(sotto.Error, match=words):
            sotto.Graph(frame, nodes=3, **how)
