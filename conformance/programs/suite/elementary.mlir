module @elementary {
  func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.cbrt %a : tensor<2xf32>
    %1 = stablehlo.cosine %a : tensor<2xf32>
    %2 = stablehlo.exponential %a : tensor<2xf32>
    %3 = stablehlo.exponential_minus_one %a : tensor<2xf32>
    %4 = stablehlo.log %a : tensor<2xf32>
    %5 = stablehlo.log_plus_one %a : tensor<2xf32>
    %6 = stablehlo.logistic %a : tensor<2xf32>
    %7 = stablehlo.rsqrt %a : tensor<2xf32>
    %8 = stablehlo.sine %a : tensor<2xf32>
    %9 = stablehlo.sqrt %a : tensor<2xf32>
    %10 = stablehlo.tanh %a : tensor<2xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
