# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Results as HTML, for notebooks."""
from . import _core


def of_solution(solution):
    """The choices, and a picture of the residuals, as a part of a notebook."""
    s, r = solution.set_up, solution.results[0]
    rows = [("device", solution.device)]
    rows += [(what, f"{s[what]}: {s[what + '_reason']}" if s[what + "_reason"] else s[what])
             for what in ("solver", "preconditioner", "format") if s.get(what)]
    if (r.solver, r.preconditioner) != (s.get("solver"), s.get("preconditioner")):
        rows.append(("at the end", f"{r.solver} with {r.preconditioner}"))
    rows += [("note", note) for note in r.notes]
    return _core.page_of_results(list(solution.results), rows, float(solution.goal))
