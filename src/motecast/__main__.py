"""`python -m motecast` is `motecast`."""

import sys

from motecast.cli import main

if __name__ == "__main__":
    sys.exit(main())
