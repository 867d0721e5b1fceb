"""The package and the program are one library: the same data, options and seed give the same model."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import sotto

PROGRAM = os.environ.get("SOTTO", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="$SOTTO names no program")

SHIM = pathlib.Path(__file__).resolve().parents[2] / "tests" / "tensor" / "unknown_processor.c"
CPU = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") if pathlib.Path("/proc/cpuinfo").exists() else ""

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


TRAIN = """
import sys, sotto
print(sotto.GNN(epochs=3, seed=11).fit(sotto.load(sys.argv[1])).digest)
"""


@needs_program
@pytest.mark.skipif(" avx2 " not in CPU, reason="OpenBLAS's choice for an unknown processor is right here")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("core", [None, "Prescott", "Haswell"])
def test_a_processor_that_openblas_does_not_know(core, graph, tmp_path: pathlib.Path) -> None:
    source, data, library = SHIM, tmp_path / "sbm.sotto", tmp_path / "unknown.so"
    graph.save(data)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    variables = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    variables.update({"LD_PRELOAD": str(library), "SOTTO_ISA": "plain", "OPENBLAS_VERBOSE": "2"})
    if core is not None:
        variables["OPENBLAS_CORETYPE"] = core
    said = subprocess.run([PROGRAM, "train", "--method", "gnn", "--data", data, "--out", tmp_path / "run", "--epochs", "3",
                           "--seed", "11"], check=True, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    cores = [line.removeprefix("Core: ") for line in said.stderr.splitlines() if line.startswith("Core: ")]
    assert cores == [core] if core is not None else cores[0] == "Prescott" and cores[1] in ("Haswell", "SkylakeX")
    own = subprocess.run([sys.executable, "-P", "-c", TRAIN, data], check=True, env=variables, stdout=subprocess.PIPE, text=True)
    assert own.stdout.split()[-1] == hashlib.sha256((tmp_path / "run" / "model.safetensors").read_bytes()).hexdigest()


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


@needs_program
def test_nights(arrays, tmp_path: pathlib.Path) -> None:
    size = 280
    inside = (arrays["edges"] < size).all(axis=0)
    grown = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    first = sotto.Graph(arrays["edges"][:, inside], arrays["x"][:size], arrays["y"][:size])
    with sotto.Ledger() as ledger:
        ledger.new_account("customers")
        key = next(account["account"] for account in ledger.accounts() if account["name"] == "customers")
        ledger.set_budget(key, epsilon=8, delta=1e-5)
    out = tmp_path / "run"
    first.save(tmp_path / "first.sotto")
    subprocess.run([PROGRAM, "train", "--method", "best", "--layers", "1", "--epsilon", "0.1", "--delta", "1e-5",
                    "--account", "customers", "--epochs", "2", "--data", tmp_path / "first.sotto", "--out", out], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with pytest.raises(sotto.InvalidArgument, match="nightly"):
        sotto.load_model(out, grown, nights=10)
    with pytest.raises(sotto.OutOfRange):
        sotto.load_model(out, grown, nightly=True, nights=0, epsilon=8)
    tonight = sotto.load_model(out, first, nightly=True, nights=2, edge_changes=1, epsilon=8)
    assert tonight.predict_proba().shape == (size, 2)
    del tonight
    assert sotto.load_model(out, first, nightly=True, night=1).predict_proba().shape == (size, 2)
    assert sotto.load_model(out, grown, nightly=True).predict_proba().shape == (300, 2)
    with sotto.Ledger() as ledger:
        assert ledger.spent(key)["epsilon"] == pytest.approx(8, abs=0.01)
    with pytest.raises(sotto.Error):
        sotto.load_model(out, first, nightly=True)
