// since 1.13
module @partitioned_call attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) -> (tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) {
    %0 = stablehlo.custom_call @plinth_conformance.partitioned(%arg0) {api_version = 2 : i32, mhlo.sharding = "{devices=[2,1]0,1}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
