"""A copy of files as git tracks them, for tests that read what is shipped.

    python3 scripts/tracked.py TARGET FOLDER...

`results` holds the shipped rankings and, beside them, whatever runs on this machine have left there: the
quickstart, for example. A test of shipped files must not see those.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def copy_tracked(target, *folders, root=ROOT):
    """Copies the tracked files below `folders`, in the state that is staged, to the same places below `target`.

    Where `root` is no git checkout (an unpacked archive), all that lies there is copied. Returns `target`.
    """
    target = pathlib.Path(target).resolve()
    listed = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=root, capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        subprocess.run(["git", "checkout-index", "-z", "--stdin", f"--prefix={target}/"], cwd=root,
                       input=listed.stdout, check=True)
    else:
        for folder in folders:
            shutil.copytree(pathlib.Path(root, folder), target / folder)
    return target


if __name__ == "__main__":
    copy_tracked(*sys.argv[1:])
