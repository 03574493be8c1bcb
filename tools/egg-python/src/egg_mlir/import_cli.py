"""egg-import's entry point: says what is missing before it needs it."""
import importlib.util
import sys


def main(argv=None):
    """Exit code 1 with a sentence where PyTorch or torch-mlir is not installed."""
    for package, name in (("torch", "torch"), ("torch_mlir", "torch-mlir")):
        if importlib.util.find_spec(package) is None:
            print(f"egg-import: {name} is not installed here; install egg-mlir[import]", file=sys.stderr)
            return 1
    from egg_mlir import importer
    return importer.main(argv)
