"""Schemas, tables in memory, and names that decide: the same as of CSV."""
import logging
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import sotto
from sotto._join import clients

PROGRAM = os.environ.get("SOTTO", "")
COLUMNS = [{"name": "age", "type": "number", "missing": "mean"},
           {"name": "city", "type": "category", "words": ["Paris", "Rome"]},
           {"name": "born", "type": "date"}]
TABLE = """id,age,city,joined,vip,zip,label
ann,31.0,Paris,2024-01-31,true,02116,stays
bob,,Rome,2024-02-01,false,10001,leaves
eve,45.0,Paris,2023-12-31,true,02116,
"""
EDGES = "source,target\nann,bob\nbob,eve\n"
TYPES = {"vip": "flag", "zip": "category"}


def csv_graph(folder: pathlib.Path) -> sotto.Graph:
    (folder / "arrays.csv").write_text(EDGES)
    (folder / "people.csv").write_text(TABLE)
    return sotto.load(folder / "arrays.csv", nodes=folder / "people.csv", types=TYPES, missing="mean")


def pandas_people():
    import pandas as pd
    return pd.DataFrame({"id": ["ann", "bob", "eve"], "age": pd.array([31, None, 45], dtype="Int64"),
                         "city": pd.Categorical(["Paris", "Rome", "Paris"]),
                         "joined": pd.to_datetime(["2024-01-31", "2024-02-01", "2023-12-31"]),
                         "vip": [True, False, True], "zip": ["02116", "10001", "02116"],
                         "label": ["stays", "leaves", None]})


def polars_people():
    import datetime

    import polars as pl
    days = [datetime.date(2024, 1, 31), datetime.date(2024, 2, 1), datetime.date(2023, 12, 31)]
    return pl.DataFrame({"id": ["ann", "bob", "eve"], "age": [31.0, None, 45.0],
                         "city": pl.Series(["Paris", "Rome", "Paris"], dtype=pl.Categorical), "joined": days,
                         "vip": [True, False, True], "zip": ["02116", "10001", "02116"],
                         "label": ["stays", "leaves", None]})


def arrow_people():
    import pyarrow as pa
    return pa.Table.from_pandas(pandas_people(), preserve_index=False)


FRAMES = [pandas_people, polars_people, arrow_people]
ENDS = (["ann", "bob"], ["bob", "eve"])


def test_a_schema_goes_to_yaml_and_dict_and_back() -> None:
    schema = sotto.Schema(COLUMNS, classes=["no", "yes"], source="payer", target="payee")
    assert schema.features == ["age", "city=Paris", "city=Rome", "born"] and schema.classes == ["no", "yes"]
    assert (schema.source, schema.target) == ("payer", "payee")
    assert schema.columns[1] == sotto.Column("city", "category", "refuse", ("Paris", "Rome"))
    assert "since: 2000-01-01" in schema.to_yaml()
    for again in (sotto.Schema.from_yaml(schema.to_yaml()), sotto.Schema.from_dict(schema.to_dict()),
                  pickle.loads(pickle.dumps(schema)), sotto.Schema(schema.columns, schema.classes, source="payer", target="payee")):
        assert again == schema and hash(again) == hash(schema) and again.to_dict() == schema.to_dict()
    assert schema != sotto.Schema(COLUMNS)


def test_texts_of_a_schema_come_back_as_they_are() -> None:
    hard = ['a"b', "a\\b", "a, b: [c] {d}", "#é", "- x", "1", "1e5", "no", "null", "2000-01-01", "'", "a\ufffeb\uffff", "😀", ""]
    schema = sotto.Schema([{"name": name, "type": "number"} for name in hard] +
                          [{"name": "c", "type": "category", "words": hard}, {"name": "d", "type": "date"}], classes=hard)
    assert [column.name for column in schema.columns[:-2]] == hard == list(schema.columns[-2].words) == schema.classes
    assert schema.columns[-1] == sotto.Column("d", "date", "refuse")
    assert sotto.Schema.from_dict(schema.to_dict()) == schema == sotto.Schema(schema.columns, schema.classes)
    assert sotto.Schema([]).to_dict() == {"sotto-schema": 1, "columns": []} and sotto.Schema([]).columns == ()


def test_statistics_of_a_schema_are_kept() -> None:
    fields = {"columns": [{"name": "x", "type": "number", "mean": [1 / 3], "variance": [2.5]}]}
    schema = sotto.Schema.from_dict(fields)
    assert schema.moments == ([1 / 3], [2.5]) and sotto.Schema(COLUMNS).moments is None
    assert schema.columns[0].mean == (1 / 3,) and schema.columns[0].variance == (2.5,)
    assert sotto.Schema.from_yaml(schema.to_yaml()) == schema


@pytest.mark.parametrize("columns, words", [
    ([{"name": "x", "type": "colour"}], "type is number"), ([{"name": "x"}], "a name and a type"),
    ([{"name": "x", "type": "number"}] * 2, "stands twice"), ([{"name": "x", "type": "category"}], "has words"),
    ([{"name": "x", "type": "category", "words": ["a", "a"]}], "stands twice"),
    ([{"name": "x", "type": "number", "width": 3}], "no key"),
])
def test_what_is_no_schema_is_refused(columns, words) -> None:
    with pytest.raises(sotto.ParseError, match=words):
        sotto.Schema(columns)


def test_other_things_are_no_schema(tmp_path: pathlib.Path) -> None:
    with pytest.raises(sotto.NotFound):
        sotto.Schema.read(tmp_path / "absent.yaml")
    with pytest.raises(sotto.NotFound):
        sotto.Schema.of_run(tmp_path / "absent")
    with pytest.raises(sotto.InvalidArgument):
        sotto.Schema.from_dict({"columns": [{"name": "x", "type": object()}]})
    with pytest.raises(sotto.InvalidArgument):
        sotto.Graph(x=np.ones((2, 1), np.float32), schema=7)


@pytest.mark.parametrize("people", FRAMES)
def test_a_frame_is_read_as_the_csv_is(people, tmp_path: pathlib.Path) -> None:
    wanted = csv_graph(tmp_path)
    graph = sotto.Graph(ENDS, people(), missing="mean")
    assert graph.schema.columns == wanted.schema.columns and graph.schema.classes == ["leaves", "stays"]
    assert graph.digest == wanted.digest and graph.ids == wanted.ids == ["ann", "bob", "eve"]
    assert list(graph.classes) == list(wanted.classes) == ["leaves", "stays"] and graph.y.tolist() == [1, 0, -1]
    assert graph.schema.features == ["age", "city=Paris", "city=Rome", "joined", "vip", "zip=02116", "zip=10001"]
    assert np.array_equal(graph.x[0], [31, 1, 0, 8796, 1, 1, 0]) and graph.x[1, 0] == 38


@pytest.mark.parametrize("people", FRAMES)
def test_import_table_takes_frames(people, tmp_path: pathlib.Path) -> None:
    import pandas as pd
    wanted = csv_graph(tmp_path)
    edges = pd.DataFrame({"source": ENDS[0], "target": ENDS[1]})
    graph = sotto.import_table(edges, people(), missing="mean")
    assert graph.schema == wanted.schema and graph.digest == wanted.digest and graph.ids == wanted.ids
    mixed = sotto.import_table(tmp_path / "arrays.csv", people(), missing="mean")
    assert mixed.schema == wanted.schema and mixed.digest == wanted.digest
    with pytest.raises(sotto.Error, match="nodes: line 3"):
        sotto.import_table(edges, people())
    assert not list(pathlib.Path("/dev/shm").glob("sotto-table-*"))


def test_an_index_is_the_first_column() -> None:
    import pandas as pd
    nodes = pandas_people().set_index("id")
    graph = sotto.import_table(pd.DataFrame({"a": ENDS[0], "b": ENDS[1]}), nodes, missing="zero")
    assert graph.ids == ["ann", "bob", "eve"]
    assert sotto.Graph(ENDS, nodes, missing="zero").digest == graph.digest


def test_times_are_in_utc_and_flags_may_be_missing() -> None:
    import pandas as pd
    frame = pd.DataFrame({"at": pd.to_datetime(["2000-01-02 12:00", "2000-01-01 00:00"]).tz_localize("Etc/GMT-6"),
                          "on": pd.array([True, None], dtype="boolean")})
    graph = sotto.Graph(([0], [1]), frame, missing="zero")
    assert np.array_equal(graph.x, [[1.25, 1], [-0.25, 0]])
    assert [column.type for column in graph.schema.columns] == ["id", "date", "flag"]


@pytest.mark.parametrize("columns, words", [
    ({"lable": ["a", "b"]}, "may have the classes"), ({"class": ["a", "b"]}, "may have the classes"),
    ({"label": [0.5, 1.25]}, "real numbers"), ({"account": [1234567890123, 2]}, "more digits"),
    ({"x": [1.0, None]}, "x: line 3, column 2"), ({"x": [1.0, float("inf")]}, "x: line 3"),
    ({"x": ["a", 1]}, "several types: float and str"), ({"x": [[1], [2]]}, "type list"), ({"x": [b"a", b"b"]}, "type bytes"),
    ({("a", "b"): [1, 2], "c": [1, 2]}, "has levels"), ({"split": ["train", "rest"]}, "is no part of a split"),
    ({"c": ["a\udc80", "b"]}, "not Unicode"), ({"c": ["a\0b", "b"]}, "a zero byte"), ({"c": ["a\tb", "b"]}, "control"),
    ({"id": ["a", None], "x": [1, 2]}, "a row has none"), ({"id": ["a", "a"], "x": [1, 2]}, "stands twice"),
])
def test_what_a_frame_leaves_open_is_asked(columns, words) -> None:
    import pandas as pd
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    with pytest.raises((sotto.InvalidArgument, sotto.ParseError, sotto.Unsupported), match=words):
        sotto.Graph(x=frame)


@pytest.mark.parametrize("values, wanted", [
    (["a", float("nan")], [[1], [0]]), ([True, None], [[1], [0]]), ([np.float16(0.1), None], [[np.float16(0.1)], [0]]),
    ([2**40 + 1, 3], None), ([1e300, 2], None), ([0.1, 1 / 3], [[np.float32(0.1)], [np.float32(1 / 3)]]),
    ([31.0, None], [[31], [0]]), (["a\nb", 'c"d,e'], [[1, 0], [0, 1]]), ([None, None], [[], []]),
])
def test_values_of_a_column_keep_their_meaning(values, wanted) -> None:
    import pandas as pd
    frame = pd.DataFrame({"v": pd.Series(values, dtype=object)})
    if wanted is None:
        with pytest.raises(sotto.Error, match="line 2, column 2"):
            sotto.Graph(x=frame, missing="zero")
    else:
        assert np.array_equal(sotto.Graph(x=frame, missing="zero").x, wanted)


def test_a_lazy_frame_is_to_be_collected() -> None:
    import polars as pl
    with pytest.raises(sotto.InvalidArgument, match="collect"):
        sotto.Graph(x=pl.DataFrame({"x": [1.0]}).lazy())


def test_the_column_of_classes_may_have_another_name() -> None:
    import pandas as pd
    frame = pd.DataFrame({"x": [1, 2, 3], "class": [20, 10, None], "split": ["train", "test", None]})
    graph = sotto.Graph(([0], [1]), frame, "class")
    assert list(graph.classes) == ["10", "20"] and graph.y.tolist() == [1, 0, -1] and graph.schema.features == ["x"]
    assert graph.part("train").tolist() == [True, False, False] and graph.part("test").tolist() == [False, True, False]
    with pytest.raises(sotto.InvalidArgument, match="leave one out"):
        sotto.Graph(([0], [1]), frame, types={"class": "label"}, y=[0, 1, 1])
    with pytest.raises(sotto.InvalidArgument, match="'split'"):
        sotto.Graph(([0], [1]), frame, "class", train=[0])
    with pytest.raises(sotto.NotFound, match="'kind'"):
        sotto.Graph(([0], [1]), frame, "kind")


def test_real_numbers_are_no_classes(arrays) -> None:
    import pandas as pd
    numbers = sotto.Graph(arrays["edges"], arrays["x"], arrays["x"][:, 0])
    assert numbers.y is None and numbers.numbers is not None
    with pytest.raises(sotto.InvalidArgument, match="pandas.cut"):
        sotto.GNN(epochs=1).fit(numbers)
    ranges = pd.cut(pd.Series(arrays["x"][:, 0]), [-99, 0, 99], labels=["low", "high"])  # the way out
    assert sorted(sotto.Graph(arrays["edges"], arrays["x"], ranges).classes) == ["high", "low"]


def test_a_numbered_frame_is_an_array(arrays) -> None:
    import pandas as pd
    graph = sotto.Graph(arrays["edges"], pd.DataFrame(arrays["x"]), arrays["y"])
    assert graph.schema is None and graph.digest == sotto.Graph(arrays["edges"], arrays["x"], arrays["y"]).digest


def test_a_schema_names_the_columns_of_an_array() -> None:
    x = np.array([[31, 1, 0, 8796], [44, 0, 1, 1]], dtype=np.float32)
    graph = sotto.Graph(([0], [1]), x, ["yes", "no"], schema=sotto.Schema(COLUMNS, classes=["yes", "no"]))
    assert graph.schema.features == ["age", "city=Paris", "city=Rome", "born"]
    assert graph.y.tolist() == [0, 1] and list(graph.classes) == ["yes", "no"]
    with pytest.raises(sotto.InvalidArgument, match="4 features"):
        sotto.Graph(([0], [1]), x[:, :3], schema=sotto.Schema(COLUMNS))
    with pytest.raises(sotto.InvalidArgument, match="maybe.*yes, no"):
        sotto.Graph(([0], [1]), x, ["maybe", "no"], schema=sotto.Schema(COLUMNS, classes=["yes", "no"]))
    with pytest.raises(sotto.InvalidArgument, match="for a table"):
        sotto.Graph(([0], [1]), x, missing="zero")


def test_a_schema_states_the_columns_of_a_table(tmp_path: pathlib.Path) -> None:
    import pandas as pd
    frame = pd.DataFrame({"born": ["2000-01-02"], "city": ["Oslo"], "age": [None]})
    schema = sotto.Schema(COLUMNS, classes=["no", "yes"])
    with pytest.raises(sotto.Error, match="Oslo"):
        sotto.Graph(x=frame, schema=schema)
    graph = sotto.Graph(x=frame.assign(age=3, city="Rome"), schema=schema.to_dict())
    assert graph.schema.features == ["born", "city=Paris", "city=Rome", "age"] and graph.x.tolist() == [[1, 0, 1, 3]]
    with pytest.raises(sotto.InvalidArgument, match="give the schema"):
        sotto.Graph(x=frame, others=True)
    other = sotto.Graph(x=frame.assign(age=3), schema=schema, others=True)
    assert other.schema.features == ["born", "city=Paris", "city=Rome", "city=Oslo", "age"]
    csv_graph(tmp_path).schema.save(tmp_path / "schema.yaml")
    again = sotto.load(tmp_path / "arrays.csv", nodes=tmp_path / "people.csv", schema=tmp_path / "schema.yaml")
    assert again.schema == csv_graph(tmp_path).schema


def people_of(count: int, seed: int, words=("Paris", "Rome", "Ulm")):
    """A frame with a label that follows its columns, and the ends of edges."""
    import pandas as pd
    rng = np.random.default_rng(seed)
    city, age = rng.choice(words, count), rng.normal(40, 9, count)
    label = np.where(age + 10 * (city == words[0]) > 42, "old", "young")
    frame = pd.DataFrame({"age": age, "city": city, "income": rng.normal(3e4, 1e4, count), "label": label})
    return frame, rng.integers(0, count, (2, 3 * count))


@pytest.fixture(scope="module", name="trained")
def trained_model():
    frame, edges = people_of(200, 1)
    graph = sotto.Graph(edges, frame)
    return sotto.GNN(epochs=5, seed=1).fit(graph), frame, edges


def test_columns_of_other_data_are_matched_by_name(trained) -> None:
    model, frame, edges = trained
    wanted = model.predict_proba()
    turned = sotto.Graph(edges, frame[["income", "label", "city", "age"]])
    assert np.allclose(model.predict_proba(turned), wanted, atol=1e-6)
    assert model.unseen == (0, 0, 0, "")
    assert model.score(turned) == pytest.approx(float((model.predict() == frame["label"].to_numpy()).mean()))
    with pytest.raises(sotto.InvalidArgument, match="Missing: income.*Not in the model: wage"):
        model.predict(sotto.Graph(edges, frame.rename(columns={"income": "wage"})))
    swapped = frame.rename(columns={"income": "age", "age": "income"})  # the same numbers under other names
    assert sotto.Graph(edges, swapped).digest == sotto.Graph(edges, frame).digest
    assert not np.allclose(model.predict_proba(sotto.Graph(edges, swapped)), wanted, atol=1e-3)
    with pytest.raises(sotto.InvalidArgument, match="have no names"):
        model.predict(sotto.Graph(edges, turned.x))


def test_unseen_words_and_classes_are_counted(trained) -> None:
    model, frame, edges = trained
    frame = frame.assign(city=frame["city"].where(frame.index > 2, "Oslo"), label=frame["label"].where(frame.index > 0, "dead"))
    graph = sotto.Graph(edges, frame)
    assert set(model.predict(graph)) <= {"old", "young"} and list(model.classes_) == ["old", "young"]
    assert model.unseen == (3, 1, 2, "city=Oslo, dead")
    assert 0.5 < model.score(graph) <= 1
    again = sotto.Graph(edges, frame, schema=model.schema, others=True)
    model.predict(again)
    assert model.unseen[:3] == (3, 1, 2)


def test_a_model_and_its_folder_have_the_schema(trained, tmp_path: pathlib.Path) -> None:
    model, frame, edges = trained
    graph = sotto.Graph(edges, frame)
    assert [column.name for column in model.schema.columns] == ["id", "age", "city", "income", "label"]
    assert model.schema.classes == ["old", "young"] and model.schema.columns[1].mean == pytest.approx((frame["age"].mean(),))
    model.save(tmp_path / "run")
    loaded = sotto.load_model(tmp_path / "run", sotto.Graph(edges, frame.drop(columns="label")))
    assert loaded.schema == model.schema == sotto.Schema.of_run(tmp_path / "run")
    assert list(loaded.classes_) == ["old", "young"]
    assert np.array_equal(loaded.predict(), model.predict())
    assert graph.schema.features == model.schema.features


def test_a_private_model_answers_about_the_table_of_the_next_day() -> None:
    import polars as pl
    frame, edges = people_of(120, 6)
    model = sotto.GAP(epsilon=4.0, epochs=2, encoder_epochs=2).fit(sotto.Graph(edges, frame))
    frame, edges = people_of(150, 7, words=("Paris", "Rome", "Ulm", "Oslo"))
    names = np.array([f"C-{number}" for number in range(150)])
    frame = frame.drop(columns="label").assign(id=names)[["income", "id", "city", "age"]]
    graph = sotto.Graph((names[edges[0]], names[edges[1]]), pl.from_pandas(frame))
    answers = model.predict(graph, epsilon=2.0)
    assert len(answers) == 150 and set(answers) <= {"old", "young"} and graph.ids[149] == "C-149"
    assert model.unseen == (int((frame["city"] == "Oslo").sum()), 0, 1, "city=Oslo")
    assert np.array_equal(model.predict(graph, again=1), answers)


def test_where_rows_are_private_words_are_declared() -> None:
    frame, edges = people_of(60, 2)
    private = {"adjacency": "node", "epsilon": 100.0, "delta": 1e-3, "steps": 2, "hidden": 4, "epochs": 1}
    found = sotto.Graph(edges, frame)
    with pytest.raises(sotto.InvalidArgument, match="declare it with classes"):
        sotto.MLP(**private).fit(found)
    with pytest.raises(sotto.InvalidArgument, match="the words of 'city' were found in rows"):
        sotto.MLP(classes=2, **private).fit(found)
    with pytest.raises(sotto.InvalidArgument, match="declare it with classes"):
        sotto.MLP(**private).fit(sotto.Graph(edges, frame[["age"]], frame["label"]))
    sotto.MLP(**private).fit(sotto.Graph(edges, frame, schema=found.schema))


def test_clients_with_columns_in_another_order_train_as_equal_ones_do() -> None:
    frames = [people_of(80, seed) for seed in (3, 4, 5)]
    told = {"rounds": 3, "seed": 1, "insecure_seed": 2, "epochs": 2}
    told = {name: value for name, value in told.items() if name in sotto.FedAvg().get_params()}
    equal = [sotto.Graph(edges, frame) for frame, edges in frames]
    turned = [equal[0], sotto.Graph(frames[1][1], frames[1][0][["label", "income", "city", "age"]]), equal[2]]
    first, second = (sotto.simulate("fedavg", graphs, **told) for graphs in (equal, turned))
    assert first.result["test"]["accuracy"]["mean"] == pytest.approx(second.result["test"]["accuracy"]["mean"], abs=0.02)
    whole = clients(turned)[0]
    assert whole.schema.features == equal[0].schema.features and np.array_equal(whole.x, clients(equal)[0].x)
    frame = frames[2][0].query("city != 'Ulm' and label == 'old'").reset_index(drop=True)
    few = sotto.Graph(([0], [1]), frame)  # without a word and a class that the others have
    whole = clients([equal[0], few])[0]
    assert whole.schema.features == equal[0].schema.features and list(whole.classes) == ["old", "young"]
    assert np.array_equal(whole.x[80:, 1:4].argmax(axis=1), (frame["city"] == "Rome").to_numpy().astype(int))
    lost = [equal[0], equal[1], sotto.Graph(frames[2][1], frames[2][0].drop(columns="income"))]
    with pytest.raises(sotto.Error, match="income"):
        sotto.simulate("fedavg", lost, **told)


@pytest.mark.skipif(not PROGRAM, reason="$SOTTO names no program")
def test_the_program_reads_the_same_schema(tmp_path: pathlib.Path) -> None:
    csv_graph(tmp_path).schema.save(tmp_path / "schema.yaml")
    command = [PROGRAM, "data", "import", "arrays.csv", "out.sotto", "--nodes", "people.csv", "--schema", "schema.yaml"]
    subprocess.run(command, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    shown = subprocess.run([PROGRAM, "data", "schema", "out.sotto", "--yaml"], check=True, cwd=tmp_path, text=True,
                           stdout=subprocess.PIPE).stdout
    assert shown == csv_graph(tmp_path).schema.to_yaml() == sotto.load(tmp_path / "out.sotto").schema.to_yaml()


@pytest.mark.parametrize("kind, said", [("<f2", "float16 is copied"), (">f4", "big-endian float32 is copied"),
                                        ("<f8", "float64 is copied"), (">f2", "big-endian float16 is copied")])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_arrays_are_converted_and_that_is_said(arrays, caplog, kind, said, order) -> None:
    x = np.round(arrays["x"] * 8) / 8
    with caplog.at_level(logging.INFO, logger="sotto"):
        graph = sotto.Graph(arrays["edges"].astype(">i8"), np.asarray(x, dtype=kind, order=order), arrays["y"].astype(">i4"))
    assert np.array_equal(graph.x, x) and graph.digest == sotto.Graph(arrays["edges"], x, arrays["y"]).digest
    texts = "\n".join(record.getMessage() for record in caplog.records)
    assert (said if order == "C" else said.replace(" is", " in Fortran order is")) in texts
    assert "y: big-endian int32 is copied" in texts and "edges: big-endian int64 is copied" in texts
