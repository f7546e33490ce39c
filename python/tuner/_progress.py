"""How far a tuning has come, for those who wait: a bar where tqdm is installed and somebody looks on, or a function."""

import sys


class Progress:
    """`wanted`: None: a bar, where there is tqdm and a terminal or notebook; True: a bar, or lines without tqdm; False."""

    def __init__(self, wanted, title, total=None):
        self._bar, self._lines, self._done = None, False, 0
        if wanted is False:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._lines = wanted is True
            return
        looked_at = sys.stderr.isatty() or "ipykernel" in sys.modules
        if wanted or looked_at:
            self._bar = tqdm(total=total, desc=title, unit=" variants")

    def trial(self, trial, best_ms):
        self._done += 1
        text = "" if not best_ms else f"best {best_ms:.4g} ms"
        if self._bar is not None:
            self._bar.set_postfix_str(text)
            self._bar.update()
        elif self._lines:
            print(f"{self._done}: {trial['state']}, {text or 'nothing valid yet'}", file=sys.stderr)

    def close(self):
        if self._bar is not None:
            self._bar.close()
