"""Pure data structures that protocols share; nothing here knows `ctx`."""
