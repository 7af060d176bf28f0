"""One folder a paper, one file a protocol; folders never import each other."""
