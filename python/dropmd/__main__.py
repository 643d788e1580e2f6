"""The command line of dropmd: `python -m dropmd`, and the script `dropmd` of the package."""

import os
import sys

from . import _dropmd


def main() -> int:
    """Runs the command line of the process and returns its exit status."""
    return _dropmd.run_program([os.fsencode(word) for word in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
