# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a solve: an element of a notebook, or a line of a terminal; nothing elsewhere."""
import math
import sys
import time

_BETWEEN = 0.25  # seconds


def _notebook():
    """The function that shows HTML in a notebook and returns a handle; None elsewhere."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    def show(html, handle=None):
        if handle is None:
            return display(HTML(html), display_id=True)
        handle.update(HTML(html))
        return handle

    return show


class Progress:
    """A callback that shows how far the residual has fallen towards rtol, four times a second at most."""

    def __init__(self, rtol=None, callback=None, show=None, stream=None):
        self._rtol, self._callback = rtol or 1e-8, callback
        self._show = show or _notebook()
        self._stream = stream or sys.stderr
        self._is_terminal = self._show is None and self._stream.isatty()
        self._handle, self._next, self._length = None, 0.0, 0

    def __call__(self, iteration):
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _BETWEEN
            self._draw(iteration)
        return self._callback(iteration) if self._callback is not None else None

    def share(self, residual):
        """How far the residual has come, 0 to 1, on a logarithmic scale."""
        if not residual > 0 or not self._rtol < 1:
            return 0.0
        return min(1.0, max(0.0, math.log(residual) / math.log(self._rtol)))

    def _draw(self, it):
        share = self.share(it.relative_residual)
        text = f"iteration {it.number}, residual {it.relative_residual:.1e}, {it.seconds:.1f} s"
        if self._show is not None:
            self._handle = self._show(f'<progress value="{share:.3f}" max="1"></progress> {text}', self._handle)
        elif self._is_terminal:
            bar = "#" * round(20 * share)
            line = f"[{bar:<20}] {text}"
            self._stream.write("\r" + line.ljust(self._length))
            self._stream.flush()
            self._length = len(line)

    def close(self):
        """Ends the line of a terminal, and removes the element of a notebook."""
        if self._handle is not None:
            self._handle = self._show("", self._handle)
        elif self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()
        self._handle, self._length = None, 0
