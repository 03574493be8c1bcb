"""What the plain lowering refuses of the corpus, with good reason.

Each family: the reason, a part of the message that says it, and the cases. A
case that stands here must be refused so; any other refusal is a failure.
"""

REFUSALS = {
    "block programs": (
        "block programs have kernels of their own and are not payloads",
        "unregistered dialect",
        ["block.copy-f32", "block.max_pool-f32"]),
    "dynamic shapes": (
        "tensors inside a payload have static shapes as well",
        "is dynamic; egg compiles static shapes only",
        ["tensor.cast-f32", "scf.forall_tiles-f32", "scf.forall_no_iterations-f32"]),
    "host-control-flow": (
        "a launch plan has no loop whose number of trips depends on data",
        "the number of trips of this loop over tensors depends on data",
        ["scf.while_tensor-f32"]),
}

_PARTS = {name: (family, part) for family, (_, part, names) in REFUSALS.items()
          for name in names}


def judge_refusal(name: str, message: str | None) -> tuple[str | None, str | None]:
    """(family, None) for a refusal that is meant, else (None, problem); the
    message is None where the case ran."""
    if name not in _PARTS:
        return None, message
    family, part = _PARTS[name]
    if message is None:
        return None, f"ran, although the plain lowering refuses {family}"
    return (family, None) if part in message else (None, message)
