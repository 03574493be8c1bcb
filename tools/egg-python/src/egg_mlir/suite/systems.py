"""The systems of a row: PyTorch's four and egg's two, each a function that
enqueues one call on the current stream and returns its results."""

TORCH_MODES = {
    "eager": None,
    "compile": "default",
    "max_autotune": "max-autotune-no-cudagraphs",
    "max_autotune_graph": "max-autotune",
}


def bound_module(torch, function, arguments, parameters):
    """The function as a module whose first `parameters` arguments are parameters:
    what a compiler may take as fixed in place, though not in value."""
    class Bound(torch.nn.Module):
        def __init__(self):
            super().__init__()
            # One attribute each: not every Dynamo unpacks a ParameterList.
            self.names = tuple(f"p{i}" for i in range(parameters))
            for name, value in zip(self.names, arguments):
                self.register_parameter(name, torch.nn.Parameter(value, requires_grad=False))

        def forward(self, *inputs):
            state = [getattr(self, name) for name in self.names]
            return function(*state, *inputs)

    return Bound().eval(), arguments[parameters:]


def torch_systems(torch, function, arguments, parameters, wanted):
    """(systems by name, notes on those that failed). A compiled system has been
    called once: compilation is no part of a time."""
    module, inputs = bound_module(torch, function, arguments, parameters)
    systems, notes = {}, []
    for name, mode in TORCH_MODES.items():
        if name not in wanted:
            continue
        if mode is not None:
            torch._dynamo.reset()
        try:
            compiled = module if mode is None else torch.compile(module, mode=mode, dynamic=False, fullgraph=True)
            call = lambda compiled=compiled: compiled(*inputs)  # noqa: E731
            call()
            torch.cuda.synchronize()
            systems[name] = call
        except Exception as error:  # whatever a compiler throws: the row says so
            notes.append(f"{name} failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
    return systems, notes


def egg_systems(torch, program, arguments, wanted):
    """egg's runtime on the same tensors. `egg` allocates its results on each call,
    as PyTorch does; `egg_graph` replays one captured call into fixed results. The
    workspace is allocated once: launches on one stream may share it."""
    program.check(arguments)
    device = arguments[0].device
    workspace = torch.empty(program.workspace_bytes, dtype=torch.uint8, device=device) if program.workspace_bytes else None

    def enqueue():
        results = [torch.empty(shape, dtype=getattr(torch, name), device=device) for shape, name in program.results]
        program.launch(arguments, results, torch.cuda.current_stream().cuda_stream, workspace)
        return results[0] if len(results) == 1 else tuple(results)

    systems = {}
    if "egg" in wanted:
        systems["egg"] = enqueue
    if "egg_graph" in wanted:
        enqueue()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = enqueue()

        def replay():
            graph.replay()
            return results

        systems["egg_graph"] = replay
    return systems
