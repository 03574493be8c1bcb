"""egg's runtime from Python: include/egg-c/runtime.h through ctypes."""
import ctypes

VERSION = 1
CURRENT_CONTEXT = -1
# EggElementType, in its order, as PyTorch spells the types.
DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "bool")


class Failure(Exception):
    """A failure of the runtime: `kind` is an error kind of docs/formats.md."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Tensor(ctypes.Structure):
    """EggTensor."""
    _fields_ = [("type", ctypes.c_int32), ("rank", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_uint64), ("align", ctypes.c_uint64), ("argument", ctypes.c_int32)]


class Library:
    """libegg_runtime. Raises Failure where it cannot be opened or is another
    version."""

    def __init__(self, path):
        try:
            self.c = ctypes.CDLL(str(path))
            found = self.c.eggRuntimeVersion()
        except (OSError, AttributeError) as error:
            raise Failure("missing-tool", f"{path} cannot be used as egg's runtime: {error}") from error
        if found != VERSION:
            raise Failure("unsupported", f"{path} has version {found} of egg's C interface; this needs {VERSION}")
        self.c.eggLastErrorKind.restype = self.c.eggLastErrorMessage.restype = ctypes.c_char_p
        self.c.eggLoadFile.restype = ctypes.c_void_p
        self.c.eggLoadFile.argtypes = [ctypes.c_char_p, ctypes.c_int32, ctypes.c_char_p]
        self.c.eggUnload.argtypes = self.c.eggArgumentCount.argtypes = self.c.eggResultCount.argtypes = [ctypes.c_void_p]
        self.c.eggUnload.restype = None
        self.c.eggArgument.argtypes = self.c.eggResult.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(Tensor)]
        self.c.eggWorkspaceBytes.argtypes = [ctypes.c_void_p]
        self.c.eggWorkspaceBytes.restype = ctypes.c_uint64
        self.c.eggLaunch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64),
                                     ctypes.POINTER(ctypes.c_uint64), ctypes.c_uint64]

    def failure(self):
        """The last failure of this thread."""
        return Failure(self.c.eggLastErrorKind().decode(), self.c.eggLastErrorMessage().decode(errors="replace"))

    def load(self, path, device=CURRENT_CONTEXT):
        """A Program from an artifact file, by default in the current context, which
        is PyTorch's once it has used the device."""
        handle = self.c.eggLoadFile(str(path).encode(), device, None)
        if not handle:
            raise self.failure()
        return Program(self, handle)


class Program:
    """A loaded artifact. `arguments` and `results` are (shape, PyTorch type name)
    pairs; `workspace_bytes` is what a launch needs to itself, aligned to 256."""

    def __init__(self, library, handle):
        self.library, self.handle = library, handle
        c = library.c
        self.arguments = [self._tensor(c.eggArgument, i)[:2] for i in range(c.eggArgumentCount(handle))]
        results = [self._tensor(c.eggResult, i) for i in range(c.eggResultCount(handle))]
        self.results = [result[:2] for result in results]
        self.workspace_bytes = c.eggWorkspaceBytes(handle)
        aliases = [i for i, result in enumerate(results) if result[2] >= 0]
        if aliases:
            self.close()
            raise Failure("unsupported", f"result {aliases[0]} is an argument updated in place; a suite needs its "
                          "inputs unchanged")

    def _tensor(self, function, index):
        tensor = Tensor()
        if function(self.handle, index, ctypes.byref(tensor)) != 0:
            raise self.library.failure()
        return [tensor.shape[i] for i in range(tensor.rank)], DTYPES[tensor.type], tensor.argument

    def check(self, arguments):
        """Raises Failure where the tensors are not what the program takes: shape,
        type, and dense row-major order."""
        found = [(list(a.shape), str(a.dtype).split(".")[-1]) for a in arguments]
        wanted = [tuple(a) for a in self.arguments]
        if found != wanted:
            raise Failure("verify", f"the artifact takes {wanted}, not {found}")
        for number, value in enumerate(arguments):
            if not value.is_contiguous():
                raise Failure("verify", f"argument {number} is not dense and row-major")

    def launch(self, arguments, results, stream, workspace=None):
        """Enqueues one run on a stream, a CUstream as an integer. Tensors are
        anything with `data_ptr()`; `workspace` is one of at least
        `workspace_bytes`. Raises Failure."""
        a = (ctypes.c_uint64 * len(arguments))(*[value.data_ptr() for value in arguments])
        r = (ctypes.c_uint64 * len(results))(*[value.data_ptr() for value in results])
        if self.library.c.eggLaunch(self.handle, stream, a, r, workspace.data_ptr() if workspace is not None else 0) != 0:
            raise self.library.failure()

    def close(self):
        """Unloads. Its work on the device must be done."""
        if self.handle:
            self.library.c.eggUnload(self.handle)
            self.handle = None
