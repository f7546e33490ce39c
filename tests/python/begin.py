"""How a test of the Python package begins: with the program of --tuner, the library that was built with it, and the
package of this source tree."""

import argparse
import os
import sys
from pathlib import Path


def begin():
    """Returns the options, of which `tuner` is the path of the program, and the words for unittest. After it
    `import tuner` takes this tree's package, also in the processes that a test starts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tuner", required=True, type=lambda text: Path(text).resolve(),
                        help="the program, beside whose folder is lib/libtuner.so")
    options, rest = parser.parse_known_args()
    package = str(Path(__file__).resolve().parents[2] / "python")
    os.environ.setdefault("TUNER_LIBRARY", str(options.tuner.parents[1] / "lib" / "libtuner.so"))
    os.environ["PYTHONPATH"] = package
    sys.path.insert(0, package)
    return options, [sys.argv[0], *rest]
