"""What a filter may cost. Filters come from strangers: everything here is checked before work is done."""

MAX_LENGTH = 4096  # bytes of a filter's UTF-8 text, as written and in canonical form
MAX_DEPTH = 32  # parentheses and NOTs open at one place
MAX_TERMS = 256  # comparisons and other predicates in one filter
MAX_VALUES = 1000  # literals in one IN list
MAX_POINTS = 64  # corners of one polygon
MAX_BOXES = 64  # boxes that a filter becomes; beyond it boxes are merged and the filter itself is the residual
MAX_STEPS = 100_000  # comparisons of sides and predicates in one covering test; beyond it nothing is shown
MAX_COORDINATE = 1e100  # so that squares of distances stay finite
