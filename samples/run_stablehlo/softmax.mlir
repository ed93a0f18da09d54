// Softmax over the rows of a 2x3 array, and where each row's largest element is.
module @softmax {
  func.func public @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi32>) {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %largest = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %largest_everywhere = stablehlo.broadcast_in_dim %largest, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %shifted = stablehlo.subtract %x, %largest_everywhere : tensor<2x3xf32>
    %powers = stablehlo.exponential %shifted : tensor<2x3xf32>
    %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %sums_everywhere = stablehlo.broadcast_in_dim %sums, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %result = stablehlo.divide %powers, %sums_everywhere : tensor<2x3xf32>

    %is_largest = stablehlo.compare EQ, %x, %largest_everywhere, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %position = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %none = stablehlo.constant dense<3> : tensor<2x3xi32>
    %candidates = stablehlo.select %is_largest, %position, %none : tensor<2x3xi1>, tensor<2x3xi32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %first = stablehlo.reduce(%candidates init: %end) applies stablehlo.minimum across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
    return %result, %first : tensor<2x3xf32>, tensor<2xi32>
  }
}
