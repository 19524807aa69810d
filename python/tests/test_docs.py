# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Docstrings run, and the stubs say what there is."""
import ast
import doctest
import importlib
import inspect
import pathlib
import re
import typing

import numpy as np
import pytest

import ostinato as ost
from ostinato import _core, _options

MODULES = ["", "._convert", "._inspect", "._operator", "._solution", "._solver", ".scipy"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module("ostinato" + name))
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("name", [n for n in ost.__all__ if inspect.isclass(getattr(ost, n)) or callable(getattr(ost, n))])
def test_everything_has_a_docstring(name):
    assert getattr(ost, name).__doc__


def stub():
    return ast.parse(pathlib.Path(ost.__file__).with_name("__init__.pyi").read_text())


def test_stub_names_what_there_is():
    named = {n.name for n in stub().body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and not n.name.startswith("_")}
    assert named == set(ost.__all__)
    words = {n.targets[0].id: {w.value for w in n.value.slice.elts} for n in stub().body
             if isinstance(n, ast.Assign) and isinstance(n.value, ast.Subscript)}
    assert words["_Status"] >= {"converged", "interrupted"}
    assert set(typing.get_args(_options.Method)) == {"auto", *ost.solvers()}


@pytest.mark.parametrize("name", ["solve", "Solver", "Operator", "preconditioner", "inspect", "generate", "read",
                                  "StencilOperator", "options"])
def test_stub_has_the_parameters(name):
    node = next(n for n in stub().body if getattr(n, "name", None) == name)
    thing = getattr(ost, name)
    if isinstance(node, ast.ClassDef):
        node, thing = next(n for n in node.body if getattr(n, "name", None) == "__init__"), thing.__init__
    named = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
    if node.args.kwarg is not None:
        options = getattr(_options, node.args.kwarg.annotation.slice.id).__annotations__
        named += [n for n in options if n not in named]
    assert named == list(inspect.signature(thing).parameters)


@pytest.mark.parametrize("call, set_up, own", [
    (ost.solve, True, {"A", "b", "x0", "out"}), (ost.Solver, True, {"A"}),
    (ost.Solver.solve, False, {"self", "b", "x0", "out"}), (ost.options, True, set())])
def test_signatures_have_the_options(call, set_up, own):
    assert set(inspect.signature(call).parameters) == set(_core.option_names(set_up)) | own


@pytest.mark.parametrize("name", _core.option_names(True))
def test_options_are_taken(name):
    A, b = ost.generate("poisson2d:5"), np.ones(25)
    assert ost.solve(A, b, **{name: None}).converged
    if name not in ("preconditioner", "progress", "varies", "symmetric_preconditioner"):
        with pytest.raises(ost.ArgumentError, match=name):
            ost.solve(A, b, **{name: object()})


def test_typed():
    assert pathlib.Path(ost.__file__).with_name("py.typed").exists()
    assert re.fullmatch(r"\d+\.\d+\.\d+", ost.__version__)
