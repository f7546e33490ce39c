"""python -m tuner: the program."""

from tuner import _main

_main()
