"""The families of the corpus, in the order in which they run."""

from . import (arith_float, arith_int, block, casts, contraction, control, convolution, generic,
               math_ops, named, plain, tensors)

FAMILIES = (arith_float, arith_int, casts, math_ops, named, contraction, convolution,
            tensors, generic, control, block)


def all_cases(lowered: bool = False):
    """Every case; names are unique, and the list is the same in every run. With
    `lowered` also those for the lowering to kernels alone."""
    families = FAMILIES + ((plain,) if lowered else ())
    cases = [case for family in families for case in family.cases()]
    names = [case.name for case in cases]
    if len(set(names)) != len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise ValueError(f"case names stand twice: {twice}")
    return cases
