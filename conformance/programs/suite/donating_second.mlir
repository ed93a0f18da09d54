module @donating_second {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<3xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<3xf32>) {
    %2 = stablehlo.constant dense<2.0> : tensor<3xf32>
    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>
    %3 = stablehlo.multiply %arg1, %2 : tensor<3xf32>
    return %1, %3 : tensor<4xf32>, tensor<3xf32>
  }
}
