import pytest

from egg_mlir import import_cli

SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.linear = nn.Linear(width, 3)
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(torch.relu(self.linear(x)))

class Pick(nn.Module):
    def forward(self, table, index):
        return torch.gather(table, 1, index)

class Scan(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 0)

def number():
    return 3
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(SOURCE)
    return str(path)


def test_what_is_missing_is_said(monkeypatch, capsys):
    monkeypatch.setattr(import_cli.importlib.util, "find_spec", lambda name: None if name == "torch_mlir" else 1)
    assert import_cli.main([]) == 1
    assert "torch-mlir is not installed here" in capsys.readouterr().err


def run(*arguments):
    pytest.importorskip("torch")
    pytest.importorskip("torch_mlir")
    return import_cli.main(list(arguments))


def test_parameters_come_first_and_no_f64_variance(source, tmp_path):
    out = tmp_path / "net.mlir"
    assert run(source, "Net(5)", "--input", "7x5xf32", "--out", str(out)) == 0
    text = out.read_text()
    assert ("func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>, "
            "%arg4: tensor<7x5xf32>) -> tensor<7x3xf32>") in text
    assert "xf64>" not in text and "dense_resource" not in text


def test_assertions_are_taken_out_with_a_note(source, capsys):
    assert run(source, "Pick", "--input", "4x6xf32", "--input", "4x2xi64") == 0
    captured = capsys.readouterr()
    assert "cf.assert" not in captured.out and "tensor.extract" in captured.out
    assert "2 assertions on indices taken out" in captured.err


def test_what_no_payload_may_hold_is_refused(source, capsys):
    assert run(source, "Scan", "--input", "6x2xf32") == 1
    assert "tm_tensor.scan" in capsys.readouterr().err
    assert run(source, "number", "--input", "6xf32") == 1
    assert "number gives a int, not a torch.nn.Module" in capsys.readouterr().err


def test_bad_inputs_are_usage_errors(source, capsys):
    for text in ("4x", "4xf8", "-1xf32", ""):
        with pytest.raises(SystemExit):
            run(source, "Net", "--input=" + text)
    assert "is no shape and type" in capsys.readouterr().err
