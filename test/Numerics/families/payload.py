"""Texts of payloads."""

from case import tensor

LETTERS = "abcdefgh"
LOOPS = [f"d{i}" for i in range(8)]


def identity(rank: int) -> str:
    loops = ", ".join(LOOPS[:rank])
    return f"affine_map<({loops}) -> ({loops})>"


def elementwise(lines, in_types, out_types, shape, results=None) -> str:
    """One linalg.generic over `shape`: the arguments of its body are %a, %b ...,
    `lines` compute, and `results` (default %r) are yielded."""
    if isinstance(out_types, str):
        out_types = [out_types]
    results = results or ["%r"]
    rank = len(shape)
    ins = [tensor(t, shape) for t in in_types]
    outs = [tensor(t, shape) for t in out_types]
    names = [f"%in{i}" for i in range(len(ins))]
    maps = ", ".join([identity(rank)] * (len(ins) + len(outs)))
    iterators = ", ".join(['"parallel"'] * rank)
    block = ", ".join([f"%{LETTERS[i]}: {t}" for i, t in enumerate(in_types)]
                      + [f"%o{i}: {t}" for i, t in enumerate(out_types)])
    empties = "".join(f"  %e{i} = tensor.empty() : {t}\n" for i, t in enumerate(outs))
    body = "".join(f"    {line}\n" for line in lines)
    count = len(outs)
    results_text = "%x" if count == 1 else f"%x:{count}"
    returned = "%x" if count == 1 else ", ".join(f"%x#{i}" for i in range(count))
    inputs = f"ins({', '.join(names)} : {', '.join(ins)}) " if ins else ""
    return (f"func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, ins))})"
            f" -> ({', '.join(outs)}) {{\n{empties}"
            f"  {results_text} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{iterators}]}}\n"
            f"    {inputs}outs({', '.join(f'%e{i}' for i in range(count))} : {', '.join(outs)}) {{\n"
            f"  ^bb0({block}):\n{body}"
            f"    linalg.yield {', '.join(results)} : {', '.join(out_types)}\n"
            f"  }} -> {'(' if count > 1 else ''}{', '.join(outs)}{')' if count > 1 else ''}\n"
            f"  return {returned} : {', '.join(outs)}\n}}\n")


def main(arguments, results, lines) -> str:
    """@main with `arguments` [(name, type)], a body, and `results` [(value, type)]."""
    head = ", ".join(f"{n}: {t}" for n, t in arguments)
    body = "".join(f"  {line}\n" for line in lines)
    types = ", ".join(t for _, t in results)
    values = ", ".join(v for v, _ in results)
    return (f"func.func @main({head}) -> ({types}) {{\n{body}"
            f"  return {values} : {types}\n}}\n")
