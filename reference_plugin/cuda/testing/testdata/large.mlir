// Large arrays: columns and long rows in parts, points several times a thread, tiles, rows that
// are kept in shared memory.
func.func @main(%x: tensor<200704x64xf32>, %b: tensor<65536x512xbf16>, %long: tensor<1x1000003xf32>,
                %w: tensor<4096x4096xbf16>, %d: tensor<200x20000xf64>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<512xf32>, tensor<1xf32>, tensor<200704x64xf32>,
        tensor<65536x512xbf16>, tensor<4096x4096xbf16>, tensor<200x20000xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200704x64xf32>, tensor<f32>) -> tensor<64xf32>
  %wide = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<64xf32>) -> tensor<200704x64xf32>
  %low = stablehlo.subtract %x, %wide : tensor<200704x64xf32>
  %square = stablehlo.multiply %low, %low : tensor<200704x64xf32>
  %variance = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200704x64xf32>, tensor<f32>) -> tensor<64xf32>
  %f = stablehlo.convert %b : (tensor<65536x512xbf16>) -> tensor<65536x512xf32>
  %columns = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<65536x512xf32>, tensor<f32>) -> tensor<512xf32>
  %one = stablehlo.reduce(%long init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1x1000003xf32>, tensor<f32>) -> tensor<1xf32>
  %tanh = stablehlo.tanh %low : tensor<200704x64xf32>
  %twice = stablehlo.add %b, %b : tensor<65536x512xbf16>
  %turned = stablehlo.transpose %w, dims = [1, 0] : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %sine = stablehlo.tanh %d : tensor<200x20000xf64>
  %exp = stablehlo.exponential %sine : tensor<200x20000xf64>
  %all = stablehlo.reduce(%exp init: %none) applies stablehlo.add across dimensions = [1] : (tensor<200x20000xf64>, tensor<f64>) -> tensor<200xf64>
  %each = stablehlo.broadcast_in_dim %all, dims = [0] : (tensor<200xf64>) -> tensor<200x20000xf64>
  %share = stablehlo.divide %exp, %each : tensor<200x20000xf64>
  return %sum, %variance, %columns, %one, %tanh, %twice, %turned, %share : tensor<64xf32>, tensor<64xf32>, tensor<512xf32>, tensor<1xf32>, tensor<200704x64xf32>, tensor<65536x512xbf16>, tensor<4096x4096xbf16>, tensor<200x20000xf64>
}
