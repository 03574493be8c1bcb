"""Prints one gpu.module with a kernel for every math and arith op on every
element type, for the tests that assemble them."""

UNARY = """acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1
log log10 log1p log2 round sin sinh tan tanh sqrt rsqrt floor ceil trunc
roundeven absf""".split()
FLOAT_BINARY = """addf subf mulf divf remf maximumf minimumf maxnumf
minnumf""".split()
INT_BINARY = """addi subi muli divui divsi ceildivui ceildivsi floordivsi remui
remsi andi ori xori shli shrui shrsi maxsi maxui minsi minui""".split()
FLOATS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}
INTS = ["i1", "i8", "i16", "i32", "i64"]


def kernel(name, args, body, result):
    params = "".join(f"%{n}: memref<64x{t}>, " for n, t in args)
    print(f"gpu.func @{name}({params}%out: memref<64x{result}>) kernel {{")
    print("  %i = gpu.thread_id x")
    for n, t in args:
        print(f"  %v{n} = memref.load %{n}[%i] : memref<64x{t}>")
    print(f"  {body}")
    print(f"  memref.store %r, %out[%i] : memref<64x{result}>")
    print("  gpu.return\n}")


def floats(t, width):
    a, ab, abc = [("a", t)], [("a", t), ("b", t)], [("a", t), ("b", t), ("c", t)]
    for op in UNARY:
        kernel(f"{op}_{t}", a, f"%r = math.{op} %va : {t}", t)
    for op in ["atan2", "powf", "copysign"]:
        kernel(f"{op}_{t}", ab, f"%r = math.{op} %va, %vb : {t}", t)
    for op in ["isnan", "isinf", "isfinite", "isnormal"]:
        kernel(f"{op}_{t}", a, f"%r = math.{op} %va : {t}", "i1")
    kernel(f"fma_{t}", abc, f"%r = math.fma %va, %vb, %vc : {t}", t)
    kernel(f"clampf_{t}", abc, f"%r = math.clampf %va to [%vb, %vc] : {t}", t)
    kernel(f"sincos_{t}", a, f"%s, %c = math.sincos %va : {t}\n"
           f"  %r = arith.divf %s, %c : {t}", t)
    for i in ["i32", "i64"]:
        kernel(f"fpowi_{t}_{i}", a + [("n", i)],
               f"%r = math.fpowi %va, %vn : {t}, {i}", t)
    for op in FLOAT_BINARY:
        kernel(f"{op}_{t}", ab, f"%r = arith.{op} %va, %vb : {t}", t)
    kernel(f"negf_{t}", a, f"%r = arith.negf %va : {t}", t)
    for flags, name in [("", "apart"), (" fastmath<contract>", "contracted")]:
        kernel(f"{name}_{t}", abc, f"%p = arith.mulf %va, %vb{flags} : {t}\n"
               f"  %r = arith.addf %p, %vc{flags} : {t}", t)
    for predicate in "oeq olt ule uno one ord une".split():
        kernel(f"cmpf_{predicate}_{t}", ab,
               f"%r = arith.cmpf {predicate}, %va, %vb : {t}", "i1")
    for i in INTS:
        for op in ["sitofp", "uitofp"]:
            kernel(f"{op}_{i}_{t}", [("a", i)],
                   f"%r = arith.{op} %va : {i} to {t}", t)
        for op in ["fptosi", "fptoui"]:
            kernel(f"{op}_{t}_{i}", a, f"%r = arith.{op} %va : {t} to {i}", i)
    for other, otherWidth in FLOATS.items():
        if otherWidth > width:
            kernel(f"extf_{t}_{other}", a,
                   f"%r = arith.extf %va : {t} to {other}", other)
        if otherWidth < width:
            kernel(f"truncf_{t}_{other}", a,
                   f"%r = arith.truncf %va : {t} to {other}", other)
    kernel(f"bitcast_{t}", a, f"%r = arith.bitcast %va : {t} to i{width}",
           f"i{width}")


def ints(t):
    a, ab = [("a", t)], [("a", t), ("b", t)]
    for op in INT_BINARY:
        kernel(f"{op}_{t}", ab, f"%r = arith.{op} %va, %vb : {t}", t)
    for op in ["ctlz", "cttz", "ctpop", "absi"]:
        kernel(f"{op}_{t}", a, f"%r = math.{op} %va : {t}", t)
    kernel(f"ipowi_{t}", ab, f"%r = math.ipowi %va, %vb : {t}", t)
    for op in ["mulsi_extended", "mului_extended"]:
        kernel(f"{op}_{t}", ab, f"%l, %r = arith.{op} %va, %vb : {t}", t)
    kernel(f"addui_extended_{t}", ab,
           f"%s, %r = arith.addui_extended %va, %vb : {t}, i1", "i1")
    kernel(f"select_{t}", [("c", "i1")] + ab,
           f"%r = arith.select %vc, %va, %vb : {t}", t)
    kernel(f"cmpi_{t}", ab, f"%r = arith.cmpi ult, %va, %vb : {t}", "i1")
    kernel(f"index_{t}", a, f"""%x = arith.index_cast %va : {t} to index
  %y = arith.index_castui %va : {t} to index
  %z = arith.addi %x, %y : index
  %w = math.ctlz %z : index
  %q = math.ipowi %w, %x : index
  %r = arith.index_cast %q : index to {t}""", t)
    for wide in INTS[INTS.index(t) + 1:]:
        for op in ["extui", "extsi"]:
            kernel(f"{op}_{t}_{wide}", a,
                   f"%r = arith.{op} %va : {t} to {wide}", wide)
        kernel(f"trunci_{wide}_{t}", [("a", wide)],
               f"%r = arith.trunci %va : {wide} to {t}", t)


print("gpu.module @kernels {")
for name, width in FLOATS.items():
    floats(name, width)
for name in INTS:
    ints(name)
print("}")
