// Every op that VHLO 0.9 has in another revision than VHLO 1.17, and what its encoding is made of.
module @revisions {
  func.func public @main(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.cbrt %a : tensor<4x6xf32>
    %1 = stablehlo.cosine %0 : tensor<4x6xf32>
    %2 = stablehlo.exponential %1 : tensor<4x6xf32>
    %3 = stablehlo.exponential_minus_one %2 : tensor<4x6xf32>
    %4 = stablehlo.log %3 : tensor<4x6xf32>
    %5 = stablehlo.log_plus_one %4 : tensor<4x6xf32>
    %6 = stablehlo.logistic %5 : tensor<4x6xf32>
    %7 = stablehlo.rsqrt %6 : tensor<4x6xf32>
    %8 = stablehlo.sine %7 : tensor<4x6xf32>
    %9 = stablehlo.sqrt %8 : tensor<4x6xf32>
    %10 = stablehlo.tanh %9 : tensor<4x6xf32>
    %11 = stablehlo.dot_general %10, %b, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
    %12 = call @helper(%11) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %13 = stablehlo.dot_general %12, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %13 : tensor<4x6xf32>
  }
  func.func private @helper(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %c = stablehlo.constant dense<[[true, false, true, true], [false, true, true, false], [true, true, false, false], [false, false, true, true]]> : tensor<4x4xi1>
    %z = stablehlo.constant dense<0.000000e+00> : tensor<4x4xf32>
    %0 = stablehlo.select %c, %a, %z : tensor<4x4xi1>, tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func private @indices(%a: tensor<4x6xf32>, %i: tensor<2x1xi32>, %s: tensor<2xi32>) -> tensor<4x6xf32> {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %1 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x6xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x6xf32>
    %3 = "stablehlo.scatter"(%a, %i, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
  func.func private @convolution(%a: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>, %p: tensor<2x2xi32>) -> tensor<1x?x?x4xf32> {
    %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 2>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>
    return %0 : tensor<1x?x?x4xf32>
  }
  func.func private @collectives(%a: tensor<4x4xf32>, %t: !stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token) {
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
    %2 = "stablehlo.all_to_all"(%1) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %3 = "stablehlo.reduce_scatter"(%2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %4 = "stablehlo.send"(%3, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
    %5:2 = "stablehlo.recv"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
    %6 = stablehlo.custom_call @foo(%5#0) {backend_config = "text", operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %6, %5#1 : tensor<4x4xf32>, !stablehlo.token
  }
}
