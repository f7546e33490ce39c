"""How far a tuning has come, for those who wait: a bar, of tqdm where that is installed, where somebody looks on."""

import sys
import time


def _lasting(seconds):
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes:02}:{seconds:02}"


class Progress:
    """`wanted`: None: a bar, where there is a terminal or a notebook; True: a bar, or lines where there is neither; False."""

    def __init__(self, wanted, title):
        self._title, self._total, self._done, self._begin, self._width = title, None, 0, time.monotonic(), 0
        looked_at = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._bar, self._line = None, wanted is not False and looked_at
        self._lines = wanted is True and not looked_at
        if wanted is False or not (wanted or looked_at):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar, self._line, self._lines = tqdm(desc=title, unit=" variants"), False, False

    def more(self, count):
        """So many are still to come, at most."""
        self._total = (self._total or 0) + int(count)
        if self._bar is not None:
            self._bar.total = self._total
            self._bar.refresh()

    def trial(self, state, best_ms, from_store=0):
        """One was measured; `from_store`: how many were not, since an earlier call has."""
        self._done += 1
        known = [f"{from_store} from the store"] if from_store else []
        best = [f"best {best_ms:.4g} ms" if best_ms else "nothing valid yet"]
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join(known + best))
            self._bar.update(self._done + from_store - self._bar.n)
        elif self._lines:
            print(f"{self._count(from_store)}: {', '.join([state, *known, *best])}", file=sys.stderr)
        elif self._line:
            text = f"{self._title}: {', '.join([self._count(from_store), *known, *self._left(from_store), *best])}"
            print(f"\r{text:<{self._width}}", end="", flush=True, file=sys.stderr)
            self._width = len(text)

    def _count(self, from_store):
        done = self._done + from_store
        return f"{done}" if self._total is None else f"{done} of {max(self._total, done)}"

    def _left(self, from_store):
        if self._total is None:
            return []
        left = max(0, self._total - self._done - from_store)
        return [f"{_lasting(left * (time.monotonic() - self._begin) / self._done)} left"]

    def close(self):
        if self._bar is not None:
            self._bar.close()
        elif self._line and self._width:
            print(file=sys.stderr)
