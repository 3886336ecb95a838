"""Trace points of programs in Python.

The trace that the environment variable PVTI_OPTIONS requests has them, beside the trace points of
Poplar and its libraries. Without the variable they do nothing.
"""

import functools

import _libpvti
from _libpvti import Graph, Metadata, Series, TraceChannel  # noqa: F401

__all__ = [
    "Graph", "Metadata", "Series", "TraceChannel", "Tracepoint", "checkTraceChannel",
    "createJsonMetadata", "createTraceChannel", "instrument", "instrument_fn"
]


def createTraceChannel(name):
    """Makes a name for the trace points of one library."""
    return TraceChannel(name)


def checkTraceChannel(channel):
    """Returns whether trace points of the channel are written."""
    return _libpvti.isTracing()


def createJsonMetadata(text):
    """Returns the data of a trace point beside its label: a JSON object, as text."""
    return Metadata(text)


class Tracepoint:
    """A stretch of the calling thread's time: a `with` block, or from begin() to end()."""

    def __init__(self, channel, label, metadata=None):
        self._channel, self._label, self._metadata = channel, label, metadata

    def __enter__(self):
        _libpvti.begin(self._channel, self._label, self._metadata)
        return self

    def __exit__(self, *_):
        _libpvti.end(self._channel, self._label)
        return False

    @staticmethod
    def begin(channel, label, metadata=None):
        _libpvti.begin(channel, label, metadata)

    @staticmethod
    def end(channel, label, metadata=None):
        _libpvti.end(channel, label)


def instrument_fn(channel, name=None):
    """Decorates a function: each call is a trace point, named after the function unless `name` is given."""

    def decorate(function):
        label = name or function.__qualname__

        @functools.wraps(function)
        def traced(*args, **kwargs):
            with Tracepoint(channel, label):
                return function(*args, **kwargs)

        return traced

    return decorate


def instrument(instance, methods, channel):
    """Makes calls of these methods of one object trace points, special methods too.

    Raises AttributeError if the object has no such method.
    """
    kind = type(instance)
    traced = {
        method: instrument_fn(channel, kind.__name__ + "." + method)(getattr(kind, method))
        for method in ([methods] if isinstance(methods, str) else methods)
    }
    # Special methods are looked up in the class, so the object gets a class of its own.
    instance.__class__ = type(kind.__name__, (kind, ), traced)
    return instance
