// A transform script that wrote a file of its choosing, embedded in a payload.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %0 = transform.apply_registered_pass "snapshot-op-locations" with options = {"filename" = "/tmp/egg-hostile"} to %m : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
