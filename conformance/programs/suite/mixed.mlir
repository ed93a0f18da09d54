module @mixed {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>, tensor<f32>) {
    %2 = stablehlo.constant dense<7.0> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.multiply %arg1, %arg1 : tensor<2x3xf32>
    %3 = "stablehlo.reduce"(%arg0, %2) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.maximum %x, %y : tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0, %1, %3 : tensor<4xf32>, tensor<2x3xf32>, tensor<f32>
  }
}
