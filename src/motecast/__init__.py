"""motecast: publish/subscribe for sensor networks, from the radio to the cluster."""


def __getattr__(name: str) -> str:
    """The version, read from the installed package when somebody asks: importing motecast stays instant."""
    if name == "__version__":
        from importlib.metadata import version

        return version("motecast")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
