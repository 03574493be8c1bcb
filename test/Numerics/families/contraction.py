"""Products: the matmul family, contractions, dot products.

Sizes are odd, prime, one and zero. Floats are summed in float64 for the
reference and compared within the classical bound of a sum in the payload's
type; integers wrap and are exact.
"""

import numpy as np

from case import DTYPES, FLOATS, Case, draw, exact, seeded, summed, tensor
from .payload import main

FAMILY = "contraction"
TYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i8")


def want(subscripts, t, a, b, c, terms):
    """c + sum of products, as Expected."""
    if t in FLOATS:
        x, y, z = (v.astype(np.float64) for v in (a, b, c))
        with np.errstate(all="ignore"):
            value = z + np.einsum(subscripts, x, y)
            scale = np.abs(z) + np.einsum(subscripts, np.abs(x), np.abs(y))
        return summed(t, value, scale, terms)
    with np.errstate(all="ignore"):
        value = c.astype(np.int64) + np.einsum(subscripts, a.astype(np.int64),
                                               b.astype(np.int64))
    return exact(value.astype(DTYPES[t]))


def product(name, op, subscripts, t, sizes, attributes="", operands=None):
    """`linalg.op` with subscripts like "mk,kn->mn" and sizes by letter."""
    inputs, output = subscripts.split("->")
    left, right = inputs.split(",")
    rng = seeded(name)
    a, b, c = (draw(rng, t, [sizes[letter] for letter in dims])
               for dims in (left, right, output))
    types = [tensor(t, v.shape) for v in (a, b, c)]
    summed_letters = set(left + right) - set(output)
    terms = int(np.prod([sizes[letter] for letter in summed_letters], dtype=np.int64))
    lines = [f"%r = linalg.{op} {attributes}ins(%a, %b : {types[0]}, {types[1]})"
             f" outs(%c : {types[2]}) -> {types[2]}"]
    text = main(list(zip(("%a", "%b", "%c"), types)), [("%r", types[2])], lines)
    return Case(FAMILY, name, text, [a, b, c], [want(subscripts, t, a, b, c, terms)])


def affine(subscripts, order):
    inputs, output = subscripts.split("->")
    maps = [f"affine_map<({', '.join(order)}) -> ({', '.join(dims)})>"
            for dims in (*inputs.split(","), output)]
    return f"indexing_maps = [{', '.join(maps)}] "


NAMED = {
    "matmul": ("mk,kn->mn", ["mkn"]),
    "vecmat": ("k,kn->n", ["kn"]),
    "matvec": ("mk,k->m", ["mk"]),
    "dot": ("k,k->", ["k"]),
    "batch_matmul": ("bmk,bkn->bmn", ["bmkn"]),
    "batch_matvec": ("bmk,bk->bm", ["bmk"]),
    "batch_vecmat": ("bk,bkn->bn", ["bkn"]),
    "batch_reduce_matmul": ("bmk,bkn->mn", ["bmkn"]),
    "mmt4d": ("mkij,nklj->mnil", ["mknijl"]),
}
SIZES = [dict(m=5, k=7, n=3, b=2, i=2, j=3, l=4), dict(m=1, k=13, n=1, b=3, i=1, j=2, l=1),
         dict(m=3, k=0, n=2, b=1, i=2, j=1, l=2), dict(m=17, k=33, n=19, b=1, i=3, j=1, l=2)]


def cases():
    result = []
    for op, (subscripts, _) in NAMED.items():
        for t in TYPES:
            for number, sizes in enumerate(SIZES[:2 if t != "f32" else 4]):
                result.append(product(f"linalg.{op}-{t}-{number}", op, subscripts, t, sizes))
    sizes = SIZES[0]
    for name, subscripts in {"ta": "km,kn->mn", "tb": "mk,nk->mn", "tab": "km,nk->mn"}.items():
        for t in ("f32", "f16", "i32"):
            result.append(product(f"linalg.matmul_{name}-{t}", "matmul", subscripts, t, sizes,
                                  affine(subscripts, ["m", "n", "k"])))
    for name, subscripts in {"ta": "bkm,bkn->bmn", "tb": "bmk,bnk->bmn"}.items():
        result.append(product(f"linalg.batch_matmul_{name}-f32", "batch_matmul", subscripts,
                              "f32", sizes, affine(subscripts, ["b", "m", "n", "k"])))
    for name, subscripts, order in (("two_k", "mkj,kjn->mn", "mnkj"),
                                    ("head", "bimk,bikn->bmin", "bimnk"),
                                    ("full", "mk,mk->", "mk")):
        for t in ("f32", "i32"):
            result.append(product(f"linalg.contract_{name}-{t}", "contract", subscripts, t, sizes,
                                  affine(subscripts, list(order))))
    result += [_mixed(*types) for types in (("f16", "f32"), ("bf16", "f32"), ("f32", "f64"),
                                            ("i8", "i32"))]
    return result


def _mixed(narrow, wide):
    """Narrow operands, a wide accumulator: the operands are widened first."""
    name = f"linalg.matmul_mixed-{narrow}-{wide}"
    rng = seeded(name)
    a, b = draw(rng, narrow, (9, 31)), draw(rng, narrow, (31, 6))
    c = draw(rng, wide, (9, 6))
    ta, tb, tc = tensor(narrow, a.shape), tensor(narrow, b.shape), tensor(wide, c.shape)
    lines = [f"%r = linalg.matmul ins(%a, %b : {ta}, {tb}) outs(%c : {tc}) -> {tc}"]
    text = main([("%a", ta), ("%b", tb), ("%c", tc)], [("%r", tc)], lines)
    return Case(FAMILY, name, text, [a, b, c],
                [want("mk,kn->mn", wide, a.astype(DTYPES[wide]), b.astype(DTYPES[wide]), c, 31)])
