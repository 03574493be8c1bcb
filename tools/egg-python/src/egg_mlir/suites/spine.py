"""The spine suite's workloads in PyTorch, each a function of the payload's
arguments in their order, spelt as is fastest for PyTorch."""


def gelu(x):
    """Exact gelu."""
    from torch.nn import functional
    return functional.gelu(x)


def softmax(x):
    """Softmax over the rows."""
    import torch
    return torch.softmax(x, dim=1)


def layernorm(weight, bias, x):
    """Layer norm over the dimensions of the weight."""
    from torch.nn import functional
    return functional.layer_norm(x, weight.shape, weight, bias)


def sum_reduction(x):
    """The sum over dimension 1, kept."""
    import torch
    return torch.sum(x, dim=1, keepdim=True)


def matmul(a, b):
    """A plain product."""
    import torch
    return torch.matmul(a, b)


def mlp(*arguments):
    """Linear layers, relu after each: weight and bias of each, then x."""
    import torch
    from torch.nn import functional
    x = arguments[-1]
    for weight, bias in zip(arguments[0:-1:2], arguments[1:-1:2]):
        x = torch.relu(functional.linear(x, weight, bias))
    return x


def gemm_bias_relu(weight, bias, x):
    """relu(x W^T + b), the bias inside the product's call."""
    import torch
    from torch.nn import functional
    return torch.relu(functional.linear(x, weight, bias))
