"""The right answers in Python: a function of the study's arguments, and of extents of the problem size, by their names."""

import numpy


def softmax(x):
    exponentials = numpy.exp(x.astype("float64") - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
