module @donating_large {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<96x33xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<70001xf32> {tf.aliasing_output = 0 : i32}, %arg3: tensor<2x3xf32> {tf.aliasing_output = 2 : i32}) -> (tensor<70001xf32>, tensor<96x33xf32>, tensor<2x3xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %arg2, %arg2 : tensor<70001xf32>
    %1 = stablehlo.add %arg1, %arg1 : tensor<96x33xf32>
    %2 = stablehlo.add %arg3, %arg3 : tensor<2x3xf32>
    %3 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0, %1, %2, %3 : tensor<70001xf32>, tensor<96x33xf32>, tensor<2x3xf32>, tensor<4xf32>
  }
}
