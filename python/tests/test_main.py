"""The program inside the package: `python -m sotto`, and the command of the same name."""
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig

import pytest

import sotto


def run(folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-P", "-m", "sotto", *words], cwd=folder, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def done(folder: pathlib.Path, *words: str) -> str:
    found = run(folder, *words)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_a_table_is_trained_on_charged_and_reported(tmp_path: pathlib.Path) -> None:
    rows = [f"n{i},{i % 7},{i % 2}" for i in range(60)]
    (tmp_path / "n.csv").write_text("id,size,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ends = [f"n{i},n{(i + step) % 60}" for i in range(60) for step in (1, 2)]
    (tmp_path / "e.csv").write_text("source,target\n" + "\n".join(ends) + "\n", encoding="utf-8")
    done(tmp_path, "data", "import", "e.csv", "g.sotto", "--nodes", "n.csv")
    done(tmp_path, "train", "--method", "gap", "--data", "g.sotto", "--epsilon", "2", "--out", "run", "--epochs", "2",
         "--encoder-epochs", "2")
    assert "noisy layers" in done(tmp_path, "ledger", "show")
    assert "<html" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    done(tmp_path, "report", "run", "--out", "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000


def test_it_trains_the_model_of_the_package(graph, tmp_path: pathlib.Path) -> None:
    graph.save(tmp_path / "sbm.sotto")
    done(tmp_path, "train", "--method", "gnn", "--data", "sbm.sotto", "--out", "run", "--epochs", "3", "--seed", "11")
    found = hashlib.sha256((tmp_path / "run" / "model.safetensors").read_bytes()).hexdigest()
    assert found == sotto.GNN(epochs=3, seed=11).fit(graph).digest


@pytest.mark.parametrize("words, status, said", [
    (["train", "--data", "nope.sotto"], 1, "there is no such file"), (["train", "--eps", "4"], 2, "did you mean --epsilon"),
    (["--version"], 0, "")])
def test_statuses_and_messages_are_those_of_the_program(words, status, said, tmp_path: pathlib.Path) -> None:
    found = run(tmp_path, *words)
    assert found.returncode == status and said in found.stderr


def test_an_interrupt_ends_it_as_it_ends_the_program(graph, tmp_path: pathlib.Path) -> None:
    graph.save(tmp_path / "g.sotto")
    with subprocess.Popen([sys.executable, "-P", "-m", "sotto", "train", "--method", "gnn", "--data", "g.sotto", "--out", "run",
                           "--epochs", "1000000"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as at_work:
        while not (tmp_path / "run" / "metrics.jsonl").exists():
            assert at_work.poll() is None
        at_work.send_signal(signal.SIGINT)
        said = at_work.communicate(timeout=60)[1]
    assert at_work.returncode == 130 and "Traceback" not in said


def test_the_command_is_the_program() -> None:
    command = pathlib.Path(sysconfig.get_path("scripts"), "sotto")
    if not command.exists():
        pytest.skip("the package is not installed here: no command")
    assert subprocess.run([command, "--version"], stdout=subprocess.PIPE, check=True, env=dict(os.environ)).stdout
