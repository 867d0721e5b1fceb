"""The package and the program are one library: the same data, options and seed give the same model."""
import hashlib
import os
import pathlib
import subprocess

import pytest

import sotto

PROGRAM = os.environ.get("SOTTO", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="$SOTTO names no program")

CASES = [("gnn", {}), ("gap", {"insecure_seed": 7}), ("best", {"insecure_seed": 7}), ("caribou", {"insecure_seed": 7}),
         ("progap", {"insecure_seed": 7}), ("vesper", {"insecure_seed": 7}), ("dpdgc", {"insecure_seed": 7})]


@needs_program
@pytest.mark.parametrize("method, more", CASES)
def test_the_program_trains_the_same_model(method, more, graph, tmp_path: pathlib.Path) -> None:
    options = {"epochs": 4, "seed": 11, **more}
    graph.save(tmp_path / "sbm.sotto")
    flags = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    subprocess.run([PROGRAM, "train", "--method", method, "--data", tmp_path / "sbm.sotto", "--out", tmp_path / "run",
                    *flags], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    model = sotto.estimators.BY_METHOD[method](**options).fit(graph)
    assert model.digest == hashlib.sha256((tmp_path / "run" / "model.safetensors").read_bytes()).hexdigest()
    assert sotto.load_model(tmp_path / "run", graph).score() == model.score()


@needs_program
def test_the_program_reads_a_saved_model(graph, tmp_path: pathlib.Path) -> None:
    graph.save(tmp_path / "sbm.sotto")
    sotto.GNN(epochs=3).fit(graph).save(tmp_path / "run")
    out = tmp_path / "answers.csv"
    subprocess.run([PROGRAM, "predict", tmp_path / "run", tmp_path / "sbm.sotto", "--out", out], check=True,
                   stdout=subprocess.DEVNULL)
    assert len(out.read_text().splitlines()) == 301


@needs_program
def test_both_have_the_same_version() -> None:
    said = subprocess.run([PROGRAM, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    assert sotto.version() in said
