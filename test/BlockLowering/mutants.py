"""Faults planted into lowered kernels, which the emulator must find.

usage: mutants.py EGG_OPT

Each program of a few is lowered; then one thing at a time is broken in the text of
its kernels: a barrier left out, a shuffle over the wrong lane, a thread's number
shifted, an access one element further, a guard or a copy's guard left out, a layout
bit dropped. A mutant is found when the emulator reports an error or the results
differ from those of the kernel as it was. Prints a line for each kind and one for all.
"""
import collections
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from check_numbers import column_sum, gemm, softmax, transpose_broadcast, two_stage_sum

PROGRAMS = {
    "softmax": softmax(3, 257, 1, 64, "f32"),
    "product": gemm(33, 31, 24, (32, 32, 8), 64, "f32", epilogue=True),
    "column sum": column_sum(40, 50, 32, 16, 64, "f32"),
    "two stages": two_stage_sum(512, 128, 64, "f32"),
    "transpose": transpose_broadcast(33, 40, (16, 32), 64, "f32"),
}

# kind -> (pattern, what the n-th match becomes)
FAULTS = {
    "barrier left out": (r"\n *gpu\.barrier", lambda m: ""),
    "shuffle over another lane": (r"gpu\.shuffle  ?xor (%\w+), (%\w+), (%\w+)",
                                  lambda m: f"gpu.shuffle idx {m[1]}, {m[2]}, {m[3]}"),
    "store one element further": (r"(memref\.store %\w+, %\w+\[)(%\w+)(\] : memref<\d+xf32)",
                                  lambda m: f"{m[1]}%further{m[3]}"),
    "guard inverted": (r"arith\.cmpi ult, (%\w+), (%\w+) : index",
                       lambda m: f"arith.cmpi uge, {m[1]}, {m[2]} : index"),
    "thread's bits dropped": (r"arith\.andi (%thread_id_x), (%c[1-9]\d*) : index",
                              lambda m: f"arith.andi {m[1]}, %c0 : index"),
    "thread's stride doubled": (r"arith\.muli (%\w+), (%c\d+) : index",
                                lambda m: f"arith.shli {m[1]}, {m[2]} : index"),
}
MOST_OF_A_KIND = 4


def is_harmless(name, kind, text, match):
    """Faults that change nothing, for a reason that can be given."""
    if kind == "thread's bits dropped":
        # Which lane leaves a partial result for the other warps: all may.
        result = text[text.rfind("\n", 0, match.start()) + 1:match.start()].split(" =")[0].strip()
        return f"arith.cmpi eq, {result}," in text
    # Softmax is the same whatever is subtracted, if it is one number a row.
    return kind == "shuffle over another lane" and name == "softmax"


def emulate(egg_opt, text):
    return subprocess.run(
        [egg_opt, "--egg-emulate-kernels=irregular print-limit=1000000 schedules=4 max-instructions=5000000",
         "-o", "/dev/null"],
        input=text, capture_output=True, text=True, timeout=300, check=False)


def further(text, place):
    """The index after the one that a store uses, made in front of it."""
    line = text.rfind("\n", 0, place) + 1
    index = re.search(r"\[(%\w+)\]", text[place:])[1]
    indent = " " * 4
    made = (f"{indent}%one_more = arith.constant 1 : index\n"
            f"{indent}%further = arith.addi {index}, %one_more : index\n")
    return text[:line] + made + text[line:], place + len(made)


def mutants_of(name, text):
    for kind, (pattern, replace) in FAULTS.items():
        matches = [match for match in re.finditer(pattern, text)
                   if not is_harmless(name, kind, text, match)]
        step = max(1, len(matches) // MOST_OF_A_KIND)
        for match in matches[::step][:MOST_OF_A_KIND]:
            if kind == "store one element further":
                longer, place = further(text, match.start())
                moved = re.compile(pattern).match(longer, place)
                yield kind, longer[:place] + replace(moved) + longer[moved.end():]
            else:
                yield kind, text[:match.start()] + replace(match) + text[match.end():]


def main(egg_opt):
    jobs = []
    for name, (text, *_) in PROGRAMS.items():
        lowered = subprocess.run(
            [egg_opt, "--egg-assign-layouts", "--egg-lower-block-program", "--canonicalize", "--cse"],
            input=text, capture_output=True, text=True, check=True).stdout
        right = emulate(egg_opt, lowered)
        if right.returncode:
            print(f"{name}: the kernel itself fails: {right.stderr[:500]}")
            return 1
        jobs += [(name, kind, mutant, right.stdout) for kind, mutant in mutants_of(name, lowered)]

    def survives(job):
        _, _, mutant, right = job
        result = emulate(egg_opt, mutant)
        return result.returncode == 0 and result.stdout == right

    planted, missed = collections.Counter(), []
    with ThreadPoolExecutor(2) as pool:
        for (name, kind, mutant, _), alive in zip(jobs, pool.map(survives, jobs)):
            planted[kind] += 1
            if alive:
                missed.append((name, kind, mutant))
    for kind, count in planted.items():
        print(f"{kind}: {count}")
    for name, kind, _ in missed:
        print(f"MISSED {kind} in {name}")
    print(f"{len(jobs)} planted, {len(missed)} missed")
    return 1 if missed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
