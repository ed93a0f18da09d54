module @square {
  func.func public @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
