"""Convolutions and pooling, with strides and dilations.

The reference walks over the kernel's positions and adds shifted views, and
knows nothing of how egg or MLIR write these ops.
"""

import itertools

import numpy as np

from case import DTYPES, FLOATS, Case, draw, exact, seeded, summed, tensor
from .payload import main

FAMILY = "convolution"


def window(image, position, strides, dilations, out, spatial):
    """The elements of `image` that meet the kernel's `position`."""
    index = [slice(None)] * image.ndim
    for axis, p, s, d, o in zip(spatial, position, strides, dilations, out):
        index[axis] = slice(p * d, p * d + s * (o - 1) + 1, s)
    return image[tuple(index)]


def extent(out, kernel, stride, dilation):
    """The least extent of an image that gives `out` outputs."""
    return (out - 1) * stride + (kernel - 1) * dilation + 1


# op -> (letters of image, kernel, output; spatial letters). n batch, c input
# channels, f output channels, g groups, m multiplier.
LAYOUTS = {
    "conv_1d": ("x", "x", "x"), "conv_2d": ("xy", "xy", "xy"), "conv_3d": ("xyz",) * 3,
    "conv_1d_ncw_fcw": ("ncx", "fcx", "nfx"), "conv_1d_nwc_wcf": ("nxc", "xcf", "nxf"),
    "conv_2d_nchw_fchw": ("ncxy", "fcxy", "nfxy"),
    "conv_2d_nhwc_hwcf": ("nxyc", "xycf", "nxyf"),
    "conv_2d_nhwc_fhwc": ("nxyc", "fxyc", "nxyf"),
    "conv_2d_ngchw_fgchw": ("ngcxy", "fgcxy", "ngfxy"),
    "conv_2d_ngchw_gfchw": ("ngcxy", "gfcxy", "ngfxy"),
    "conv_2d_nhwgc_gfhwc": ("nxygc", "gfxyc", "nxygf"),
    "conv_3d_ncdhw_fcdhw": ("ncxyz", "fcxyz", "nfxyz"),
    "conv_3d_ndhwc_dhwcf": ("nxyzc", "xyzcf", "nxyzf"),
    "depthwise_conv_1d_nwc_wc": ("nxc", "xc", "nxc"),
    "depthwise_conv_1d_ncw_cw": ("ncx", "cx", "ncx"),
    "depthwise_conv_2d_nhwc_hwc": ("nxyc", "xyc", "nxyc"),
    "depthwise_conv_2d_nchw_chw": ("ncxy", "cxy", "ncxy"),
    "depthwise_conv_2d_nhwc_hwcm": ("nxyc", "xycm", "nxycm"),
    "depthwise_conv_3d_ndhwc_dhwc": ("nxyzc", "xyzc", "nxyzc"),
}
NO_ATTRIBUTES = ("conv_1d", "conv_2d", "conv_3d")
EXTENTS = dict(n=2, c=3, f=5, g=2, m=2)
OUT, KERNEL = dict(x=5, y=3, z=2), dict(x=3, y=2, z=2)
GEOMETRIES = {"plain": (dict(x=1, y=1, z=1), dict(x=1, y=1, z=1)),
              "strided": (dict(x=2, y=3, z=2), dict(x=1, y=2, z=1)),
              "dilated": (dict(x=1, y=2, z=1), dict(x=3, y=1, z=2))}
POOLINGS = {
    "pooling_nhwc_sum": "nxyc", "pooling_nchw_sum": "ncxy", "pooling_nhwc_max": "nxyc",
    "pooling_nchw_max": "ncxy", "pooling_nhwc_min": "nxyc", "pooling_nwc_sum": "nxc",
    "pooling_ncw_sum": "ncx", "pooling_nwc_max": "nxc", "pooling_ncw_max": "ncx",
    "pooling_nwc_min": "nxc", "pooling_ndhwc_sum": "nxyzc", "pooling_ndhwc_max": "nxyzc",
    "pooling_ndhwc_min": "nxyzc", "pooling_nhwc_max_unsigned": "nxyc",
    "pooling_nhwc_min_unsigned": "nxyc",
}


def _shape(letters, sizes):
    return [sizes[letter] for letter in letters]


def _attributes(axes, strides, dilations):
    def dense(values):
        return f"dense<{[values[a] for a in axes]}> : tensor<{len(axes)}xi64>"
    return (f"{{dilations = {dense(dilations)}, strides = {dense(strides)}}} ")


def _op(name, op, attributes, operands, output):
    """`linalg.op` on %a, %b into %c."""
    types = [tensor(t, s) for t, s in (*operands, output)]
    lines = [f"%r = linalg.{op} {attributes}ins(%a, %b : {types[0]}, {types[1]})"
             f" outs(%c : {types[2]}) -> {types[2]}"]
    return main(list(zip(("%a", "%b", "%c"), types)), [("%r", types[2])], lines)


def convolution(op, t, geometry, extents=EXTENTS):
    image, kernel, output = LAYOUTS[op]
    strides, dilations = GEOMETRIES[geometry]
    axes = [letter for letter in image if letter in "xyz"]
    out = {**extents, **OUT}
    taps = {**extents, **KERNEL}
    source = {**extents, **{a: extent(OUT[a], KERNEL[a], strides[a], dilations[a]) for a in axes}}
    name = f"linalg.{op}-{t}-{geometry}"
    rng = seeded(name)
    a, b, c = (draw(rng, t, _shape(letters, sizes)) for letters, sizes in
               ((image, source), (kernel, taps), (output, out)))
    compute = np.float64 if t in FLOATS else np.int64
    x, w = a.astype(compute), b.astype(compute)
    value, scale = c.astype(compute), np.abs(c.astype(compute))
    spatial = [image.index(axis) for axis in axes]
    taps_letters = "".join(letter for letter in kernel if letter not in "xyz")
    subscripts = f"{image},{taps_letters}->{output}"
    count = 0
    for position in itertools.product(*(range(KERNEL[axis]) for axis in axes)):
        view = window(x, position, [strides[i] for i in axes], [dilations[i] for i in axes],
                      [OUT[i] for i in axes], spatial)
        index = [slice(None)] * w.ndim
        for axis, p in zip(axes, position):
            index[kernel.index(axis)] = p
        tap = w[tuple(index)]
        value = value + np.einsum(subscripts, view, tap)
        scale = scale + np.einsum(subscripts, np.abs(view), np.abs(tap))
        count += 1
    terms = count * (extents["c"] if "c" in image and "c" not in output else 1)
    attributes = "" if op in NO_ATTRIBUTES else _attributes(axes, strides, dilations)
    text = _op(name, op, attributes, [(t, a.shape), (t, b.shape)], (t, c.shape))
    want = summed(t, value, scale, terms) if t in FLOATS else exact(value.astype(DTYPES[t]))
    return Case(FAMILY, name, text, [a, b, c], [want])


def pooling(op, t, geometry):
    letters = POOLINGS[op]
    strides, dilations = GEOMETRIES[geometry]
    axes = [letter for letter in letters if letter in "xyz"]
    source = {**EXTENTS, **{a: extent(OUT[a], KERNEL[a], strides[a], dilations[a]) for a in axes}}
    name = f"linalg.{op}-{t}-{geometry}"
    rng = seeded(name)
    a = draw(rng, t, _shape(letters, source))
    c = draw(rng, t, _shape(letters, {**EXTENTS, **OUT}))
    shape = _shape(axes, KERNEL)
    b = np.zeros(shape, DTYPES[t])
    spatial = [letters.index(axis) for axis in axes]
    compute = np.float64 if t in FLOATS else np.int64
    unsigned = op.endswith("unsigned")
    def widen(v):
        return (v.view(f"u{v.itemsize}") if unsigned else v).astype(compute)
    x, value, scale = widen(a), widen(c), np.abs(widen(c))
    combine = np.add if "sum" in op else np.maximum if "max" in op else np.minimum
    count = 0
    for position in itertools.product(*map(range, shape)):
        view = window(x, position, [strides[i] for i in axes], [dilations[i] for i in axes],
                      [OUT[i] for i in axes], spatial)
        value = combine(value, view)
        scale = scale + np.abs(view)
        count += 1
    text = _op(name, op, _attributes(axes, strides, dilations),
               [(t, a.shape), (t, b.shape)], (t, c.shape))
    if t in FLOATS and "sum" in op:
        want = summed(t, value, scale, count)
    elif t in FLOATS:
        want = exact(value.astype(DTYPES[t]))
    else:
        want = exact(value.astype(DTYPES[t]))
    return Case(FAMILY, name, text, [a, b, c], [want])


def cases():
    result = []
    for op in LAYOUTS:
        for geometry in ("plain",) if op in NO_ATTRIBUTES else GEOMETRIES:
            result.append(convolution(op, "f32", geometry))
        for t in ("f64", "f16", "bf16", "i32"):
            if op in ("conv_2d", "conv_2d_nchw_fchw", "conv_2d_nhwc_hwcf",
                      "depthwise_conv_2d_nchw_chw", "conv_1d_ncw_fcw"):
                result.append(convolution(op, t, "plain" if op == "conv_2d" else "strided"))
    for op in POOLINGS:
        types = ("i32", "i8") if op.endswith("unsigned") else ("f32", "f16", "i32")
        for t in types:
            result.append(pooling(op, t, "strided" if t != "f16" else "dilated"))
    return result
