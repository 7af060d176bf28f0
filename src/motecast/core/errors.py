"""Errors by blame: your stack, your parameter, your bytes."""


class MotecastError(Exception):
    """Anything that is somebody's mistake and can be said in one line."""


class StackError(MotecastError):
    """Layers that do not fit together, or a layer whose marks contradict each other."""


class ConfigError(MotecastError):
    """A parameter or a scenario value outside what is allowed; names place, value and allowed range."""


class WireError(MotecastError):
    """Bytes that are no frame of this stack; raised by decode only."""
