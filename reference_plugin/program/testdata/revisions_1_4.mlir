// What came between VHLO 0.9 and 1.4 and has another revision since.
module @revisions_1_4 {
  func.func public @main(%a: tensor<2x4x6xf32>, %i: tensor<2x3x1xi32>) -> tensor<2x4x6xf32> {
    %0 = stablehlo.tan %a : tensor<2x4x6xf32>
    %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %2 = stablehlo.composite "my.twice" %1 {composite_attributes = {times = 2 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %3 = "stablehlo.gather"(%2, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<2x4x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x6xf32>
    %4 = "stablehlo.scatter"(%2, %i, %3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) : (tensor<2x4x6xf32>, tensor<2x3x1xi32>, tensor<2x3x6xf32>) -> tensor<2x4x6xf32>
    return %4 : tensor<2x4x6xf32>
  }
  func.func private @twice(%a: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
    %0 = stablehlo.add %a, %a : tensor<2x4x6xf32>
    return %0 : tensor<2x4x6xf32>
  }
}
