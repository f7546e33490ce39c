"""Commands whose outputs are shown, and what has to be true of them, for the scripts beside this file."""

import subprocess


class Checks:
    def __init__(self, folder):
        self.folder = folder
        self.wrong = []

    def run(self, *words):
        """Prints the command and all that it prints; returns its status and both outputs."""
        print("$", " ".join(map(str, words)), flush=True)
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=600)
        print(done.stdout, done.stderr, f"(status {done.returncode})", sep="", flush=True)
        return done.returncode, done.stdout, done.stderr

    def require(self, holds, what):
        if not holds:
            print("WRONG:", what, flush=True)
            self.wrong.append(what)

    def end(self):
        """Says whether all was true; returns the exit status."""
        print("\n".join(self.wrong) or "all as it should be")
        return 1 if self.wrong else 0
