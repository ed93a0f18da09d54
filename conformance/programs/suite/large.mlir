module @large {
  func.func public @main(%arg0: tensor<70001xf32>) -> tensor<70001xf32> {
    %0 = stablehlo.constant dense<1.0> : tensor<70001xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<70001xf32>
    return %1 : tensor<70001xf32>
  }
}
