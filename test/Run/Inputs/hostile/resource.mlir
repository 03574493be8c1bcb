func.func @main() -> tensor<4xf32> {
  %c = arith.constant dense_resource<blob> : tensor<4xf32>
  return %c : tensor<4xf32>
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
