# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""The program `ostinato`."""
import os
import sys


def main():
    # OpenMP's threads sleep soon when they wait, as those of the program do (cli/short_waits.hpp); it reads this when
    # it is loaded.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")
    from ostinato import _core

    return _core.run_program(["ostinato", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
