"""Edges to nodes of other owners, from a file or a frame."""
import pathlib

import pytest
import sotto

pandas = pytest.importorskip("pandas")


@pytest.fixture()
def tables(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "bank.csv").write_text("source,target\na1,a2\na2,a3\n")
    (tmp_path / "bank.nodes.csv").write_text("id,x,label\na1,1,p\na2,2,q\na3,3,p\n")
    (tmp_path / "others.csv").write_text("payer,payee\na1,b7\nb9,a2\n")
    return tmp_path


def test_a_list_of_edges_to_others_is_part_of_the_data(tables: pathlib.Path) -> None:
    plain, linked = (sotto.load(tables / "bank.csv", **how) for how in ({}, {"edges_to_others": tables / "others.csv"}))
    assert plain.digest != linked.digest
    edges, nodes, others = (pandas.read_csv(tables / name) for name in ("bank.csv", "bank.nodes.csv", "others.csv"))
    framed = sotto.import_table(edges, nodes, types={"id": "id"}, edges_to_others=others)
    assert framed.digest == linked.digest


def test_an_error_names_the_row_and_the_id(tables: pathlib.Path) -> None:
    (tables / "bad.csv").write_text("payer,payee\na1,b7\nb1,b2\n")
    with pytest.raises(sotto.Error, match="line 3, column 1: 'b1' is no node of the data"):
        sotto.load(tables / "bank.csv", edges_to_others=tables / "bad.csv")
    bad = pandas.DataFrame({"payer": ["a1"], "payee": ["a2"]})
    with pytest.raises(sotto.Error, match="edges_to_others.*'a2' is an own node"):
        sotto.import_table(tables / "bank.csv", tables / "bank.nodes.csv", edges_to_others=bad)
