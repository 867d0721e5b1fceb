"""Checks of scikit-learn that apply to an estimator of graphs: those of parameters, clones, tags and fitting's state.

All others feed a table of numbers in the place of a graph: scikit-learn itself runs none of them for an estimator whose
tags say that its input is no table.
"""
import pytest
from sklearn.utils import estimator_checks

import sotto

CHECKS = ["check_estimator_cloneable", "check_estimator_repr", "check_estimator_tags_renamed",
          "check_get_params_invariance", "check_set_params", "check_no_attributes_set_in_init",
          "check_parameters_default_constructible", "check_do_not_raise_errors_in_init_or_set_param",
          "check_valid_tag_types", "check_mixin_order", "check_estimators_unfitted"]


@pytest.mark.parametrize("method", sorted(sotto.methods()))
@pytest.mark.parametrize("check", CHECKS)
def test_the_checks_hold(check: str, method: str) -> None:
    function = getattr(estimator_checks, check, None) or getattr(estimator_checks, check + "s")
    function(method, sotto.estimators.BY_METHOD[method]())


def test_scikit_learn_asks_for_no_more() -> None:
    assert [check.func.__name__ for _, check in estimator_checks.estimator_checks_generator(sotto.GNN())] == [
        "check_estimator_cloneable"]
