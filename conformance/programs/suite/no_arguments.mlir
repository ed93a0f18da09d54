module @no_arguments {
  func.func public @main() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<[7.0, -1.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
