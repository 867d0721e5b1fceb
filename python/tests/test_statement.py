"""Classes of guarantees, and how a statement shows its verdicts."""
import json
import math

import pytest

import sotto


@pytest.mark.parametrize("epsilon, name, colour", [(0.5, "strong", "green"), (4, "moderate", "green"),
                                                   (8, "weak", "amber"), (40, "vacuous", "red"),
                                                   (math.inf, "not protected", "red"),
                                                   (math.nan, "not protected", "red")])
def test_classes(epsilon, name, colour) -> None:
    found = sotto.guarantee(epsilon, 1e-6)
    assert (found.name, found.colour) == (name, colour)


def test_a_guess_rounds_up() -> None:
    assert sotto.guarantee(1).words == "at most 74 times of 100"
    assert sotto.guarantee(1).guess == pytest.approx(math.e / (math.e + 1))
    assert sotto.guarantee(400).words == "nearly always"


def test_a_statement_shows_its_verdicts_with_colour() -> None:
    text = "labels of `<b>`: NOT protected"
    statement = sotto.Statement.from_json(json.dumps({"verdicts": [{"text": text, "colour": "red"}]}))
    assert str(statement) == text
    shown = statement._repr_html_()
    assert "color:#cf222e" in shown and "&lt;b&gt;" in shown and "<b>" not in shown
