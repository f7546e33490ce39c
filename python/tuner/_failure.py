"""What went wrong in another process, in the words that the caller is told."""

import os
import traceback


def words_of(error):
    place = traceback.extract_tb(error.__traceback__)
    inner = [one for one in place if "/tuner/_" not in one.filename] or place
    where = f" ({os.path.basename(inner[-1].filename)}:{inner[-1].lineno})" if inner else ""
    return f"{type(error).__name__}: {str(error)[:2000]}{where}"
