module @donating_both {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<8xf32>) -> (tensor<2x3xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %arg1, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<4xf32>
  }
}
