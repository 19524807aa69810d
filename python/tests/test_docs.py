# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Docstrings run, and the stubs say what there is."""
import ast
import doctest
import importlib
import inspect
import pathlib
import re

import pytest

import ostinato as ost

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
    assert words["_Method"] == {"auto", *ost.solvers()}
    assert words["_Status"] >= {"converged", "interrupted"}


@pytest.mark.parametrize("name", ["solve", "Solver", "Operator", "preconditioner", "inspect", "generate", "read",
                                  "StencilOperator"])
def test_stub_has_the_parameters(name):
    node = next(n for n in stub().body if getattr(n, "name", None) == name)
    thing = getattr(ost, name)
    if isinstance(node, ast.ClassDef):
        node, thing = next(n for n in node.body if getattr(n, "name", None) == "__init__"), thing.__init__
    named = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
    wanted = [n for n, p in inspect.signature(thing).parameters.items() if p.kind is not p.VAR_KEYWORD]
    assert [n for n in named if n in wanted] == wanted
    if len(wanted) < len(inspect.signature(thing).parameters):  # the options, which the stub spells out
        assert {"rtol", "atol", "maxiter", "device", "solver", "time_limit"} <= set(named)
    else:
        assert named == wanted


def test_typed():
    assert pathlib.Path(ost.__file__).with_name("py.typed").exists()
    assert re.fullmatch(r"\d+\.\d+\.\d+", ost.__version__)
