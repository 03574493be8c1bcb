// A transform script that ran a program of its choosing.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
transform.sequence failures(propagate) {
^bb0(%m: !transform.any_op):
  %0 = transform.apply_registered_pass "gpu-module-to-binary" with options = {"toolkit" = "/tmp/evil"} to %m : (!transform.any_op) -> !transform.any_op
}
