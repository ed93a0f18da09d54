// since 1.13
module @sharded attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}, %arg1: tensor<4x2xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<4x2xf32> {mhlo.sharding = "{devices=[1,2]0,1}"}) -> (tensor<4x2xf32> {mhlo.sharding = "{replicated}"}, tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}, tensor<4x2xf32> {mhlo.sharding = "{devices=[1,2]0,1}"}) {
    %0 = stablehlo.add %arg1, %arg1 : tensor<4x2xf32>
    %1 = stablehlo.add %arg0, %arg0 : tensor<4x2xf32>
    %2 = stablehlo.add %arg2, %arg2 : tensor<4x2xf32>
    return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }
}
