// The columns of %x minus their means. The rows lie on four devices, two on each; the compiler adds
// what the devices have to tell each other.
module @mean attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["rows"=4]>
  func.func public @main(%x: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"rows"}, {}]>})
      -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"rows"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %rows = stablehlo.constant dense<8.0> : tensor<2xf32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8x2xf32>, tensor<f32>) -> tensor<2xf32>
    %mean = stablehlo.divide %sum, %rows : tensor<2xf32>
    %means = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<2xf32>) -> tensor<8x2xf32>
    %result = stablehlo.subtract %x, %means : tensor<8x2xf32>
    return %result : tensor<8x2xf32>
  }
}
