"""Reports and benchmark suites of egg. Not the e-graph library of that name."""

__version__ = "0.1.0"
