// An attribute that makes a later tool run what is embedded.
module attributes {transform.with_named_sequence} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
