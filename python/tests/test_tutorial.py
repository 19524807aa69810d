# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""The cells of the tutorial notebook run, in order, in one namespace."""
import json
import pathlib
import warnings

import pytest

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples/python/tutorial.ipynb"


def test_tutorial(monkeypatch):
    pytest.importorskip("scipy")
    cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell in cells:
            exec(compile("".join(cell["source"]), "tutorial.ipynb", "exec"), names)
    shown = [v for v in names.values() if hasattr(v, "_repr_html_")]
    assert len(cells) >= 6 and len(shown) >= 3 and all("svg" in v._repr_html_() for v in shown)
