# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Results, reports and progress as HTML."""
import html.parser
import io
import re
import warnings

import numpy as np
import pytest

import ostinato as ost
from ostinato._progress import Progress


class Tree(html.parser.HTMLParser):
    """Fails on an element that isn't closed in its place."""

    VOID = {"br", "hr", "img", "meta", "wbr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


def selectors(text):
    """The selectors of the style of a part of a notebook."""
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    style = re.sub(r"@media[^{]*\{", "{", style)
    return [s.strip() for group in re.findall(r"([^{}]+)\{", style) for s in group.split(",") if s.strip()]


@pytest.mark.parametrize("what", ["solution", "columns", "failure", "inspection"])
def test_html_is_whole_and_keeps_to_itself(what):
    A = ost.generate("variable2d:20")
    b = np.ones(A.shape[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thing = {
            "solution": lambda: ost.solve(A, b),
            "columns": lambda: ost.solve(A, np.ones((A.shape[0], 2))),
            "failure": lambda: ost.solve(A, b, maxiter=3, preconditioner=None),
            "inspection": lambda: ost.inspect(A),
        }[what]()
    text = thing._repr_html_()
    seen = Tree(text).seen
    pictures = [attributes["id"] for tag, attributes in seen if tag == "svg"]
    assert pictures == {"solution": ["convergence"], "columns": ["convergence"] * 2, "failure": ["convergence"],
                        "inspection": ["spy", "formats"]}[what]
    assert {"script", "link", "img", "html", "body"}.isdisjoint(tag for tag, _ in seen)
    assert text.startswith('<div class="ostinato">')
    found = selectors(text)
    assert len(found) > 30 and all(".ostinato" in s for s in found)
    assert "prefers-color-scheme: dark" in text and 'data-jp-theme-light="false"' in text


def test_inspection_has_what_it_shows(tmp_path):
    A = ost.generate("convection-diffusion2d:20:peclet=2")
    i = ost.inspect(A, name="<b>")
    assert not i.symmetric and i.shape == A.shape and i.nnz == A.nnz and i.solver in ost.solvers()
    assert ("structural rank", "good") in [f[:2] for f in i.findings]
    assert "400 x 400" in repr(i) and "<b>" in repr(i) and "&lt;b&gt;" in i._repr_html_()
    with pytest.raises(AttributeError):
        i.colour
    i.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    i = ost.inspect(ost.generate("poisson2d:12"))
    exact = np.linalg.cond(ost.generate("poisson2d:12").toarray())
    assert i.definiteness == "positive definite" and 0.9 * exact <= i.condition <= 1.001 * exact


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_of_a_notebook():
    shown = []

    def show(html, handle=None):
        shown.append(html)
        return "handle"

    bar = Progress(1e-8, show=show)
    bar(type("It", (), dict(number=3, relative_residual=1e-4, seconds=0.5)))
    bar(type("It", (), dict(number=4, relative_residual=1e-6, seconds=0.6)))  # within a quarter of a second
    bar.close()
    assert len(shown) == 2 and 'value="0.500"' in shown[0] and "iteration 3" in shown[0] and shown[1] == ""


def test_progress_of_a_terminal():
    stream = Terminal()
    bar = Progress(1e-8, stream=stream)
    bar(type("It", (), dict(number=3, relative_residual=1e-4, seconds=0.5)))
    bar.close()
    assert "[##########          ] iteration 3" in stream.getvalue() and stream.getvalue().endswith("\r")
    bar = Progress(1e-8, callback=lambda it: False, stream=io.StringIO())
    assert bar(type("It", (), dict(number=3, relative_residual=1e-4, seconds=0.5))) is False


def test_progress_is_silent_elsewhere(capfd):
    A = ost.generate("poisson2d:100")
    r = ost.solve(A, np.ones(A.shape[0]), preconditioner=None, progress=True)
    assert r.converged and capfd.readouterr() == ("", "")
