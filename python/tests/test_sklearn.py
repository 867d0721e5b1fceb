"""Checks of scikit-learn that apply to an estimator of graphs: those of parameters, clones, tags and fitting's state.

All others feed a table of numbers in the place of a graph: scikit-learn itself runs none of them for an estimator whose
tags say that its input is no table.
"""
import numpy as np
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


def test_a_grid_search_over_a_graph_says_why_not(graph) -> None:
    from sklearn.model_selection import GridSearchCV, cross_val_score
    with pytest.raises(TypeError, match="release of its own, whose epsilon the ledger adds up"):
        GridSearchCV(sotto.GAP(), {"epsilon": [1.0, 2.0]}).fit(graph)
    with pytest.raises(TypeError, match="no table"):
        cross_val_score(sotto.GAP(), graph)
    with pytest.raises(TypeError, match="no table"):
        np.asarray(graph)
    with pytest.raises(sotto.InvalidArgument, match="a release of its own, whose epsilon the ledger adds up"):
        sotto.GAP().fit(np.zeros((40, 8), np.float32), np.zeros(40, np.int32))
    with sotto.Ledger() as ledger:
        assert ledger.charges(graph) == []
