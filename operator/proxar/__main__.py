"""`python -m proxar`: the command line, where no script is installed."""

import sys

from proxar.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
