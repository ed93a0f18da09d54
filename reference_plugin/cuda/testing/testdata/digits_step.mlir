module @jit_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<32xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3x3x1x32xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<64xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<3x3x32x64xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<256x64xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<10xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64x10xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<32xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<3x3x1x32xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<3x3x32x64xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<64xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<256x64xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<10xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<64x10xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<32xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<3x3x1x32xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<64xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<3x3x32x64xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<64xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<256x64xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<10xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<64x10xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<f32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<2xui32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<64x8x8x1xf32>, %arg27: tensor<64xi32>) -> (tensor<32xf32> {jax.result_info = "result[0][0]['conv1']['b']"}, tensor<3x3x1x32xf32> {jax.result_info = "result[0][0]['conv1']['w']"}, tensor<64xf32> {jax.result_info = "result[0][0]['conv2']['b']"}, tensor<3x3x32x64xf32> {jax.result_info = "result[0][0]['conv2']['w']"}, tensor<64xf32> {jax.result_info = "result[0][0]['dense1']['b']"}, tensor<256x64xf32> {jax.result_info = "result[0][0]['dense1']['w']"}, tensor<10xf32> {jax.result_info = "result[0][0]['dense2']['b']"}, tensor<64x10xf32> {jax.result_info = "result[0][0]['dense2']['w']"}, tensor<32xf32> {jax.result_info = "result[0][1]['conv1']['b']"}, tensor<3x3x1x32xf32> {jax.result_info = "result[0][1]['conv1']['w']"}, tensor<64xf32> {jax.result_info = "result[0][1]['conv2']['b']"}, tensor<3x3x32x64xf32> {jax.result_info = "result[0][1]['conv2']['w']"}, tensor<64xf32> {jax.result_info = "result[0][1]['dense1']['b']"}, tensor<256x64xf32> {jax.result_info = "result[0][1]['dense1']['w']"}, tensor<10xf32> {jax.result_info = "result[0][1]['dense2']['b']"}, tensor<64x10xf32> {jax.result_info = "result[0][1]['dense2']['w']"}, tensor<32xf32> {jax.result_info = "result[0][2]['conv1']['b']"}, tensor<3x3x1x32xf32> {jax.result_info = "result[0][2]['conv1']['w']"}, tensor<64xf32> {jax.result_info = "result[0][2]['conv2']['b']"}, tensor<3x3x32x64xf32> {jax.result_info = "result[0][2]['conv2']['w']"}, tensor<64xf32> {jax.result_info = "result[0][2]['dense1']['b']"}, tensor<256x64xf32> {jax.result_info = "result[0][2]['dense1']['w']"}, tensor<10xf32> {jax.result_info = "result[0][2]['dense2']['b']"}, tensor<64x10xf32> {jax.result_info = "result[0][2]['dense2']['w']"}, tensor<f32> {jax.result_info = "result[0][3]"}, tensor<2xui32> {jax.result_info = "result[0][4]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = sdy.sharding_constraint %arg25 <@empty_mesh, [{}]> : tensor<2xui32>
    %1 = call @_threefry_split(%0) : (tensor<2xui32>) -> tensor<2x2xui32>
    %2 = stablehlo.slice %1 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %3 = stablehlo.reshape %2 : (tensor<1x2xui32>) -> tensor<2xui32>
    %4 = stablehlo.slice %1 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %5 = stablehlo.reshape %4 : (tensor<1x2xui32>) -> tensor<2xui32>
    %6 = stablehlo.convolution(%arg26, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<64x8x8x1xf32>, tensor<3x3x1x32xf32>) -> tensor<64x8x8x32xf32>
    %7 = stablehlo.broadcast_in_dim %arg0, dims = [3] : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xf32>) -> tensor<64x8x8x32xf32>
    %9 = stablehlo.add %6, %8 : tensor<64x8x8x32xf32>
    %10 = call @relu(%9) : (tensor<64x8x8x32xf32>) -> tensor<64x8x8x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x8x8x32xf32>
    %12 = stablehlo.compare GT, %9, %11, FLOAT : (tensor<64x8x8x32xf32>, tensor<64x8x8x32xf32>) -> tensor<64x8x8x32xi1>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %14 = "stablehlo.reduce_window"(%10, %13) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %275 = stablehlo.maximum %arg28, %arg29 : tensor<f32>
      stablehlo.return %275 : tensor<f32>
    }) : (tensor<64x8x8x32xf32>, tensor<f32>) -> tensor<64x4x4x32xf32>
    %15 = stablehlo.convolution(%14, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<64x4x4x32xf32>, tensor<3x3x32x64xf32>) -> tensor<64x4x4x64xf32>
    %16 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x1x1x64xf32>) -> tensor<64x4x4x64xf32>
    %18 = stablehlo.add %15, %17 : tensor<64x4x4x64xf32>
    %19 = call @relu_0(%18) : (tensor<64x4x4x64xf32>) -> tensor<64x4x4x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x4x4x64xf32>
    %21 = stablehlo.compare GT, %18, %20, FLOAT : (tensor<64x4x4x64xf32>, tensor<64x4x4x64xf32>) -> tensor<64x4x4x64xi1>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<f32>
    %23 = "stablehlo.reduce_window"(%19, %22) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %275 = stablehlo.maximum %arg28, %arg29 : tensor<f32>
      stablehlo.return %275 : tensor<f32>
    }) : (tensor<64x4x4x64xf32>, tensor<f32>) -> tensor<64x2x2x64xf32>
    %24 = stablehlo.reshape %23 : (tensor<64x2x2x64xf32>) -> tensor<64x256xf32>
    %25 = stablehlo.dot_general %24, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32>
    %26 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<64x64xf32>
    %28 = stablehlo.add %25, %27 : tensor<64x64xf32>
    %29 = call @relu_1(%28) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %31 = stablehlo.compare GT, %28, %30, FLOAT : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
    %cst_4 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %32 = call @_bernoulli(%5, %cst_4) : (tensor<2xui32>, tensor<f32>) -> tensor<64x64xi1>
    %cst_5 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %34 = stablehlo.divide %29, %33 : tensor<64x64xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = call @_where(%32, %34, %cst_6) : (tensor<64x64xi1>, tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
    %36 = stablehlo.dot_general %35, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    %37 = stablehlo.broadcast_in_dim %arg6, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<64x10xf32>
    %39 = stablehlo.add %36, %38 : tensor<64x10xf32>
    %40:3 = call @log_softmax(%39) : (tensor<64x10xf32>) -> (tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x1xf32>)
    %41 = stablehlo.broadcast_in_dim %arg27, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %42:2 = call @take_along_axis(%40#0, %41) : (tensor<64x10xf32>, tensor<64x1xi32>) -> (tensor<64x1xf32>, tensor<64x1x1xi32>)
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42#0 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %44 = stablehlo.divide %43, %cst_8 : tensor<f32>
    %45 = stablehlo.negate %44 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.negate %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %47 = stablehlo.divide %46, %cst_10 : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %49 = call @take_along_axis_3(%42#1, %48) : (tensor<64x1x1xi32>, tensor<64x1xf32>) -> tensor<64x10xf32>
    %50 = call @log_softmax_4(%40#1, %40#2, %49) : (tensor<64x10xf32>, tensor<64x1xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<64x10xf32>, tensor<f32>) -> tensor<10xf32>
    %52 = stablehlo.reshape %51 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %54 = stablehlo.dot_general %50, %35, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x10xf32>, tensor<64x64xf32>) -> tensor<10x64xf32>
    %55 = stablehlo.transpose %54, dims = [1, 0] : (tensor<10x64xf32>) -> tensor<64x10xf32>
    %56 = stablehlo.dot_general %50, %arg7, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x64xf32>
    %57 = call @_where_5(%32, %56) : (tensor<64x64xi1>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %59 = stablehlo.divide %57, %58 : tensor<64x64xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %61 = stablehlo.select %31, %59, %60 : tensor<64x64xi1>, tensor<64x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
    %63 = stablehlo.reshape %62 : (tensor<64xf32>) -> tensor<1x64xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %65 = stablehlo.dot_general %61, %24, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %67 = stablehlo.dot_general %61, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x64xf32>, tensor<256x64xf32>) -> tensor<64x256xf32>
    %68 = stablehlo.reshape %67 : (tensor<64x256xf32>) -> tensor<64x2x2x64xf32>
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %69 = stablehlo.pad %19, %cst_17, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<64x4x4x64xf32>, tensor<f32>) -> tensor<64x4x4x64xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = "stablehlo.select_and_scatter"(%69, %68, %cst_18) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %275 = stablehlo.compare GE, %arg28, %arg29, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %275 : tensor<i1>
    }, {
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %275 = stablehlo.add %arg28, %arg29 : tensor<f32>
      stablehlo.return %275 : tensor<f32>
    }) : (tensor<64x4x4x64xf32>, tensor<64x2x2x64xf32>, tensor<f32>) -> tensor<64x4x4x64xf32>
    %71 = stablehlo.slice %70 [0:64, 0:4, 0:4, 0:64] : (tensor<64x4x4x64xf32>) -> tensor<64x4x4x64xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<64x4x4x64xf32>
    %73 = stablehlo.select %21, %71, %72 : tensor<64x4x4x64xi1>, tensor<64x4x4x64xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_20) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<64x4x4x64xf32>, tensor<f32>) -> tensor<64xf32>
    %75 = stablehlo.reshape %74 : (tensor<64xf32>) -> tensor<1x1x1x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_21) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %77 = stablehlo.convolution(%14, %73) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<64x4x4x32xf32>, tensor<64x4x4x64xf32>) -> tensor<3x3x32x64xf32>
    %78 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<3x3x32x64xf32>
    %79 = stablehlo.convolution(%73, %78) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<64x4x4x64xf32>, tensor<3x3x32x64xf32>) -> tensor<64x4x4x32xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %80 = stablehlo.pad %10, %cst_22, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<64x8x8x32xf32>, tensor<f32>) -> tensor<64x8x8x32xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = "stablehlo.select_and_scatter"(%80, %79, %cst_23) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %275 = stablehlo.compare GE, %arg28, %arg29, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %275 : tensor<i1>
    }, {
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %275 = stablehlo.add %arg28, %arg29 : tensor<f32>
      stablehlo.return %275 : tensor<f32>
    }) : (tensor<64x8x8x32xf32>, tensor<64x4x4x32xf32>, tensor<f32>) -> tensor<64x8x8x32xf32>
    %82 = stablehlo.slice %81 [0:64, 0:8, 0:8, 0:32] : (tensor<64x8x8x32xf32>) -> tensor<64x8x8x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<64x8x8x32xf32>
    %84 = stablehlo.select %12, %82, %83 : tensor<64x8x8x32xi1>, tensor<64x8x8x32xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.reduce(%84 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<64x8x8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %86 = stablehlo.reshape %85 : (tensor<32xf32>) -> tensor<1x1x1x32xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_26) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %88 = stablehlo.convolution(%arg26, %84) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<64x8x8x1xf32>, tensor<64x8x8x32xf32>) -> tensor<3x3x1x32xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %89 = stablehlo.add %arg24, %cst_27 : tensor<f32>
    %cst_28 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %91 = stablehlo.multiply %90, %arg8 : tensor<32xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %93 = stablehlo.multiply %92, %87 : tensor<32xf32>
    %94 = stablehlo.add %91, %93 : tensor<32xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %96 = stablehlo.multiply %95, %arg9 : tensor<3x3x1x32xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %98 = stablehlo.multiply %97, %88 : tensor<3x3x1x32xf32>
    %99 = stablehlo.add %96, %98 : tensor<3x3x1x32xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %101 = stablehlo.multiply %100, %arg10 : tensor<64xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %103 = stablehlo.multiply %102, %76 : tensor<64xf32>
    %104 = stablehlo.add %101, %103 : tensor<64xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %106 = stablehlo.multiply %105, %arg11 : tensor<3x3x32x64xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %108 = stablehlo.multiply %107, %77 : tensor<3x3x32x64xf32>
    %109 = stablehlo.add %106, %108 : tensor<3x3x32x64xf32>
    %cst_36 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %111 = stablehlo.multiply %110, %arg12 : tensor<64xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %113 = stablehlo.multiply %112, %64 : tensor<64xf32>
    %114 = stablehlo.add %111, %113 : tensor<64xf32>
    %cst_38 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %116 = stablehlo.multiply %115, %arg13 : tensor<256x64xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %118 = stablehlo.multiply %117, %66 : tensor<256x64xf32>
    %119 = stablehlo.add %116, %118 : tensor<256x64xf32>
    %cst_40 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %121 = stablehlo.multiply %120, %arg14 : tensor<10xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %123 = stablehlo.multiply %122, %53 : tensor<10xf32>
    %124 = stablehlo.add %121, %123 : tensor<10xf32>
    %cst_42 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %126 = stablehlo.multiply %125, %arg15 : tensor<64x10xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %128 = stablehlo.multiply %127, %55 : tensor<64x10xf32>
    %129 = stablehlo.add %126, %128 : tensor<64x10xf32>
    %cst_44 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %131 = stablehlo.multiply %130, %arg16 : tensor<32xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %133 = stablehlo.multiply %132, %87 : tensor<32xf32>
    %134 = stablehlo.multiply %133, %87 : tensor<32xf32>
    %135 = stablehlo.add %131, %134 : tensor<32xf32>
    %cst_46 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %137 = stablehlo.multiply %136, %arg17 : tensor<3x3x1x32xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %139 = stablehlo.multiply %138, %88 : tensor<3x3x1x32xf32>
    %140 = stablehlo.multiply %139, %88 : tensor<3x3x1x32xf32>
    %141 = stablehlo.add %137, %140 : tensor<3x3x1x32xf32>
    %cst_48 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %143 = stablehlo.multiply %142, %arg18 : tensor<64xf32>
    %cst_49 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %145 = stablehlo.multiply %144, %76 : tensor<64xf32>
    %146 = stablehlo.multiply %145, %76 : tensor<64xf32>
    %147 = stablehlo.add %143, %146 : tensor<64xf32>
    %cst_50 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %149 = stablehlo.multiply %148, %arg19 : tensor<3x3x32x64xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %151 = stablehlo.multiply %150, %77 : tensor<3x3x32x64xf32>
    %152 = stablehlo.multiply %151, %77 : tensor<3x3x32x64xf32>
    %153 = stablehlo.add %149, %152 : tensor<3x3x32x64xf32>
    %cst_52 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %155 = stablehlo.multiply %154, %arg20 : tensor<64xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %157 = stablehlo.multiply %156, %64 : tensor<64xf32>
    %158 = stablehlo.multiply %157, %64 : tensor<64xf32>
    %159 = stablehlo.add %155, %158 : tensor<64xf32>
    %cst_54 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %161 = stablehlo.multiply %160, %arg21 : tensor<256x64xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %163 = stablehlo.multiply %162, %66 : tensor<256x64xf32>
    %164 = stablehlo.multiply %163, %66 : tensor<256x64xf32>
    %165 = stablehlo.add %161, %164 : tensor<256x64xf32>
    %cst_56 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %167 = stablehlo.multiply %166, %arg22 : tensor<10xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %169 = stablehlo.multiply %168, %53 : tensor<10xf32>
    %170 = stablehlo.multiply %169, %53 : tensor<10xf32>
    %171 = stablehlo.add %167, %170 : tensor<10xf32>
    %cst_58 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %173 = stablehlo.multiply %172, %arg23 : tensor<64x10xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %175 = stablehlo.multiply %174, %55 : tensor<64x10xf32>
    %176 = stablehlo.multiply %175, %55 : tensor<64x10xf32>
    %177 = stablehlo.add %173, %176 : tensor<64x10xf32>
    %cst_60 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %178 = stablehlo.power %cst_60, %89 : tensor<f32>
    %cst_61 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %179 = stablehlo.subtract %cst_61, %178 : tensor<f32>
    %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %180 = stablehlo.divide %cst_62, %179 : tensor<f32>
    %cst_63 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %181 = stablehlo.power %cst_63, %89 : tensor<f32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %182 = stablehlo.subtract %cst_64, %181 : tensor<f32>
    %cst_65 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %183 = stablehlo.divide %cst_65, %182 : tensor<f32>
    %cst_66 = stablehlo.constant dense<9.980000e-01> : tensor<f32>
    %184 = stablehlo.power %cst_66, %89 : tensor<f32>
    %cst_67 = stablehlo.constant dense<2.000000e-03> : tensor<f32>
    %185 = stablehlo.multiply %cst_67, %184 : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %187 = stablehlo.multiply %186, %94 : tensor<32xf32>
    %188 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %189 = stablehlo.multiply %187, %188 : tensor<32xf32>
    %190 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %191 = stablehlo.multiply %135, %190 : tensor<32xf32>
    %192 = stablehlo.sqrt %191 : tensor<32xf32>
    %cst_68 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %194 = stablehlo.add %192, %193 : tensor<32xf32>
    %195 = stablehlo.divide %189, %194 : tensor<32xf32>
    %196 = stablehlo.subtract %arg0, %195 : tensor<32xf32>
    %197 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %198 = stablehlo.multiply %197, %99 : tensor<3x3x1x32xf32>
    %199 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %200 = stablehlo.multiply %198, %199 : tensor<3x3x1x32xf32>
    %201 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %202 = stablehlo.multiply %141, %201 : tensor<3x3x1x32xf32>
    %203 = stablehlo.sqrt %202 : tensor<3x3x1x32xf32>
    %cst_69 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<3x3x1x32xf32>
    %205 = stablehlo.add %203, %204 : tensor<3x3x1x32xf32>
    %206 = stablehlo.divide %200, %205 : tensor<3x3x1x32xf32>
    %207 = stablehlo.subtract %arg1, %206 : tensor<3x3x1x32xf32>
    %208 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %209 = stablehlo.multiply %208, %104 : tensor<64xf32>
    %210 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %211 = stablehlo.multiply %209, %210 : tensor<64xf32>
    %212 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %213 = stablehlo.multiply %147, %212 : tensor<64xf32>
    %214 = stablehlo.sqrt %213 : tensor<64xf32>
    %cst_70 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %216 = stablehlo.add %214, %215 : tensor<64xf32>
    %217 = stablehlo.divide %211, %216 : tensor<64xf32>
    %218 = stablehlo.subtract %arg2, %217 : tensor<64xf32>
    %219 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %220 = stablehlo.multiply %219, %109 : tensor<3x3x32x64xf32>
    %221 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %222 = stablehlo.multiply %220, %221 : tensor<3x3x32x64xf32>
    %223 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %224 = stablehlo.multiply %153, %223 : tensor<3x3x32x64xf32>
    %225 = stablehlo.sqrt %224 : tensor<3x3x32x64xf32>
    %cst_71 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %227 = stablehlo.add %225, %226 : tensor<3x3x32x64xf32>
    %228 = stablehlo.divide %222, %227 : tensor<3x3x32x64xf32>
    %229 = stablehlo.subtract %arg3, %228 : tensor<3x3x32x64xf32>
    %230 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %231 = stablehlo.multiply %230, %114 : tensor<64xf32>
    %232 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %233 = stablehlo.multiply %231, %232 : tensor<64xf32>
    %234 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %235 = stablehlo.multiply %159, %234 : tensor<64xf32>
    %236 = stablehlo.sqrt %235 : tensor<64xf32>
    %cst_72 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %238 = stablehlo.add %236, %237 : tensor<64xf32>
    %239 = stablehlo.divide %233, %238 : tensor<64xf32>
    %240 = stablehlo.subtract %arg4, %239 : tensor<64xf32>
    %241 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %242 = stablehlo.multiply %241, %119 : tensor<256x64xf32>
    %243 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %244 = stablehlo.multiply %242, %243 : tensor<256x64xf32>
    %245 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %246 = stablehlo.multiply %165, %245 : tensor<256x64xf32>
    %247 = stablehlo.sqrt %246 : tensor<256x64xf32>
    %cst_73 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %249 = stablehlo.add %247, %248 : tensor<256x64xf32>
    %250 = stablehlo.divide %244, %249 : tensor<256x64xf32>
    %251 = stablehlo.subtract %arg5, %250 : tensor<256x64xf32>
    %252 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %253 = stablehlo.multiply %252, %124 : tensor<10xf32>
    %254 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %255 = stablehlo.multiply %253, %254 : tensor<10xf32>
    %256 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %257 = stablehlo.multiply %171, %256 : tensor<10xf32>
    %258 = stablehlo.sqrt %257 : tensor<10xf32>
    %cst_74 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %259 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %260 = stablehlo.add %258, %259 : tensor<10xf32>
    %261 = stablehlo.divide %255, %260 : tensor<10xf32>
    %262 = stablehlo.subtract %arg6, %261 : tensor<10xf32>
    %263 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %264 = stablehlo.multiply %263, %129 : tensor<64x10xf32>
    %265 = stablehlo.broadcast_in_dim %180, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %266 = stablehlo.multiply %264, %265 : tensor<64x10xf32>
    %267 = stablehlo.broadcast_in_dim %183, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %268 = stablehlo.multiply %177, %267 : tensor<64x10xf32>
    %269 = stablehlo.sqrt %268 : tensor<64x10xf32>
    %cst_75 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %271 = stablehlo.add %269, %270 : tensor<64x10xf32>
    %272 = stablehlo.divide %266, %271 : tensor<64x10xf32>
    %273 = stablehlo.subtract %arg7, %272 : tensor<64x10xf32>
    %274 = sdy.sharding_constraint %3 <@empty_mesh, [{}]> : tensor<2xui32>
    return %196, %207, %218, %229, %240, %251, %262, %273, %94, %99, %104, %109, %114, %119, %124, %129, %135, %141, %147, %153, %159, %165, %171, %177, %89, %274, %45 : tensor<32xf32>, tensor<3x3x1x32xf32>, tensor<64xf32>, tensor<3x3x32x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<10xf32>, tensor<64x10xf32>, tensor<32xf32>, tensor<3x3x1x32xf32>, tensor<64xf32>, tensor<3x3x32x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<10xf32>, tensor<64x10xf32>, tensor<32xf32>, tensor<3x3x1x32xf32>, tensor<64xf32>, tensor<3x3x32x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<10xf32>, tensor<64x10xf32>, tensor<f32>, tensor<2xui32>, tensor<f32>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11:2 = call @threefry2x32(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    return %14 : tensor<2x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %6 = stablehlo.add %3, %5 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<13> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_left %5, %7 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<19> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %10 = stablehlo.shift_right_logical %5, %9 : tensor<2xui32>
    %11 = stablehlo.or %8, %10 : tensor<2xui32>
    %12 = stablehlo.xor %6, %11 : tensor<2xui32>
    %13 = stablehlo.add %6, %12 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<15> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %12, %14 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<17> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %17 = stablehlo.shift_right_logical %12, %16 : tensor<2xui32>
    %18 = stablehlo.or %15, %17 : tensor<2xui32>
    %19 = stablehlo.xor %13, %18 : tensor<2xui32>
    %20 = stablehlo.add %13, %19 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<26> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %22 = stablehlo.shift_left %19, %21 : tensor<2xui32>
    %c_5 = stablehlo.constant dense<6> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %24 = stablehlo.shift_right_logical %19, %23 : tensor<2xui32>
    %25 = stablehlo.or %22, %24 : tensor<2xui32>
    %26 = stablehlo.xor %20, %25 : tensor<2xui32>
    %27 = stablehlo.add %20, %26 : tensor<2xui32>
    %c_6 = stablehlo.constant dense<6> : tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %29 = stablehlo.shift_left %26, %28 : tensor<2xui32>
    %c_7 = stablehlo.constant dense<26> : tensor<ui32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %31 = stablehlo.shift_right_logical %26, %30 : tensor<2xui32>
    %32 = stablehlo.or %29, %31 : tensor<2xui32>
    %33 = stablehlo.xor %27, %32 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.add %27, %34 : tensor<2xui32>
    %36 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %37 = stablehlo.add %33, %36 : tensor<2xui32>
    %c_8 = stablehlo.constant dense<1> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %39 = stablehlo.add %37, %38 : tensor<2xui32>
    %40 = stablehlo.add %35, %39 : tensor<2xui32>
    %c_9 = stablehlo.constant dense<17> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.shift_left %39, %41 : tensor<2xui32>
    %c_10 = stablehlo.constant dense<15> : tensor<ui32>
    %43 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.shift_right_logical %39, %43 : tensor<2xui32>
    %45 = stablehlo.or %42, %44 : tensor<2xui32>
    %46 = stablehlo.xor %40, %45 : tensor<2xui32>
    %47 = stablehlo.add %40, %46 : tensor<2xui32>
    %c_11 = stablehlo.constant dense<29> : tensor<ui32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %49 = stablehlo.shift_left %46, %48 : tensor<2xui32>
    %c_12 = stablehlo.constant dense<3> : tensor<ui32>
    %50 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %51 = stablehlo.shift_right_logical %46, %50 : tensor<2xui32>
    %52 = stablehlo.or %49, %51 : tensor<2xui32>
    %53 = stablehlo.xor %47, %52 : tensor<2xui32>
    %54 = stablehlo.add %47, %53 : tensor<2xui32>
    %c_13 = stablehlo.constant dense<16> : tensor<ui32>
    %55 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %56 = stablehlo.shift_left %53, %55 : tensor<2xui32>
    %c_14 = stablehlo.constant dense<16> : tensor<ui32>
    %57 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %58 = stablehlo.shift_right_logical %53, %57 : tensor<2xui32>
    %59 = stablehlo.or %56, %58 : tensor<2xui32>
    %60 = stablehlo.xor %54, %59 : tensor<2xui32>
    %61 = stablehlo.add %54, %60 : tensor<2xui32>
    %c_15 = stablehlo.constant dense<24> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %63 = stablehlo.shift_left %60, %62 : tensor<2xui32>
    %c_16 = stablehlo.constant dense<8> : tensor<ui32>
    %64 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %65 = stablehlo.shift_right_logical %60, %64 : tensor<2xui32>
    %66 = stablehlo.or %63, %65 : tensor<2xui32>
    %67 = stablehlo.xor %61, %66 : tensor<2xui32>
    %68 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %69 = stablehlo.add %61, %68 : tensor<2xui32>
    %70 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %71 = stablehlo.add %67, %70 : tensor<2xui32>
    %c_17 = stablehlo.constant dense<2> : tensor<ui32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %73 = stablehlo.add %71, %72 : tensor<2xui32>
    %74 = stablehlo.add %69, %73 : tensor<2xui32>
    %c_18 = stablehlo.constant dense<13> : tensor<ui32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %76 = stablehlo.shift_left %73, %75 : tensor<2xui32>
    %c_19 = stablehlo.constant dense<19> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %78 = stablehlo.shift_right_logical %73, %77 : tensor<2xui32>
    %79 = stablehlo.or %76, %78 : tensor<2xui32>
    %80 = stablehlo.xor %74, %79 : tensor<2xui32>
    %81 = stablehlo.add %74, %80 : tensor<2xui32>
    %c_20 = stablehlo.constant dense<15> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %83 = stablehlo.shift_left %80, %82 : tensor<2xui32>
    %c_21 = stablehlo.constant dense<17> : tensor<ui32>
    %84 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %85 = stablehlo.shift_right_logical %80, %84 : tensor<2xui32>
    %86 = stablehlo.or %83, %85 : tensor<2xui32>
    %87 = stablehlo.xor %81, %86 : tensor<2xui32>
    %88 = stablehlo.add %81, %87 : tensor<2xui32>
    %c_22 = stablehlo.constant dense<26> : tensor<ui32>
    %89 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %90 = stablehlo.shift_left %87, %89 : tensor<2xui32>
    %c_23 = stablehlo.constant dense<6> : tensor<ui32>
    %91 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %92 = stablehlo.shift_right_logical %87, %91 : tensor<2xui32>
    %93 = stablehlo.or %90, %92 : tensor<2xui32>
    %94 = stablehlo.xor %88, %93 : tensor<2xui32>
    %95 = stablehlo.add %88, %94 : tensor<2xui32>
    %c_24 = stablehlo.constant dense<6> : tensor<ui32>
    %96 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %97 = stablehlo.shift_left %94, %96 : tensor<2xui32>
    %c_25 = stablehlo.constant dense<26> : tensor<ui32>
    %98 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %99 = stablehlo.shift_right_logical %94, %98 : tensor<2xui32>
    %100 = stablehlo.or %97, %99 : tensor<2xui32>
    %101 = stablehlo.xor %95, %100 : tensor<2xui32>
    %102 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %103 = stablehlo.add %95, %102 : tensor<2xui32>
    %104 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %105 = stablehlo.add %101, %104 : tensor<2xui32>
    %c_26 = stablehlo.constant dense<3> : tensor<ui32>
    %106 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %107 = stablehlo.add %105, %106 : tensor<2xui32>
    %108 = stablehlo.add %103, %107 : tensor<2xui32>
    %c_27 = stablehlo.constant dense<17> : tensor<ui32>
    %109 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %110 = stablehlo.shift_left %107, %109 : tensor<2xui32>
    %c_28 = stablehlo.constant dense<15> : tensor<ui32>
    %111 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %112 = stablehlo.shift_right_logical %107, %111 : tensor<2xui32>
    %113 = stablehlo.or %110, %112 : tensor<2xui32>
    %114 = stablehlo.xor %108, %113 : tensor<2xui32>
    %115 = stablehlo.add %108, %114 : tensor<2xui32>
    %c_29 = stablehlo.constant dense<29> : tensor<ui32>
    %116 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %117 = stablehlo.shift_left %114, %116 : tensor<2xui32>
    %c_30 = stablehlo.constant dense<3> : tensor<ui32>
    %118 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %119 = stablehlo.shift_right_logical %114, %118 : tensor<2xui32>
    %120 = stablehlo.or %117, %119 : tensor<2xui32>
    %121 = stablehlo.xor %115, %120 : tensor<2xui32>
    %122 = stablehlo.add %115, %121 : tensor<2xui32>
    %c_31 = stablehlo.constant dense<16> : tensor<ui32>
    %123 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %124 = stablehlo.shift_left %121, %123 : tensor<2xui32>
    %c_32 = stablehlo.constant dense<16> : tensor<ui32>
    %125 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %126 = stablehlo.shift_right_logical %121, %125 : tensor<2xui32>
    %127 = stablehlo.or %124, %126 : tensor<2xui32>
    %128 = stablehlo.xor %122, %127 : tensor<2xui32>
    %129 = stablehlo.add %122, %128 : tensor<2xui32>
    %c_33 = stablehlo.constant dense<24> : tensor<ui32>
    %130 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %131 = stablehlo.shift_left %128, %130 : tensor<2xui32>
    %c_34 = stablehlo.constant dense<8> : tensor<ui32>
    %132 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %133 = stablehlo.shift_right_logical %128, %132 : tensor<2xui32>
    %134 = stablehlo.or %131, %133 : tensor<2xui32>
    %135 = stablehlo.xor %129, %134 : tensor<2xui32>
    %136 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %137 = stablehlo.add %129, %136 : tensor<2xui32>
    %138 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %139 = stablehlo.add %135, %138 : tensor<2xui32>
    %c_35 = stablehlo.constant dense<4> : tensor<ui32>
    %140 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %141 = stablehlo.add %139, %140 : tensor<2xui32>
    %142 = stablehlo.add %137, %141 : tensor<2xui32>
    %c_36 = stablehlo.constant dense<13> : tensor<ui32>
    %143 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %144 = stablehlo.shift_left %141, %143 : tensor<2xui32>
    %c_37 = stablehlo.constant dense<19> : tensor<ui32>
    %145 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %146 = stablehlo.shift_right_logical %141, %145 : tensor<2xui32>
    %147 = stablehlo.or %144, %146 : tensor<2xui32>
    %148 = stablehlo.xor %142, %147 : tensor<2xui32>
    %149 = stablehlo.add %142, %148 : tensor<2xui32>
    %c_38 = stablehlo.constant dense<15> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %151 = stablehlo.shift_left %148, %150 : tensor<2xui32>
    %c_39 = stablehlo.constant dense<17> : tensor<ui32>
    %152 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %153 = stablehlo.shift_right_logical %148, %152 : tensor<2xui32>
    %154 = stablehlo.or %151, %153 : tensor<2xui32>
    %155 = stablehlo.xor %149, %154 : tensor<2xui32>
    %156 = stablehlo.add %149, %155 : tensor<2xui32>
    %c_40 = stablehlo.constant dense<26> : tensor<ui32>
    %157 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %158 = stablehlo.shift_left %155, %157 : tensor<2xui32>
    %c_41 = stablehlo.constant dense<6> : tensor<ui32>
    %159 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %160 = stablehlo.shift_right_logical %155, %159 : tensor<2xui32>
    %161 = stablehlo.or %158, %160 : tensor<2xui32>
    %162 = stablehlo.xor %156, %161 : tensor<2xui32>
    %163 = stablehlo.add %156, %162 : tensor<2xui32>
    %c_42 = stablehlo.constant dense<6> : tensor<ui32>
    %164 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %165 = stablehlo.shift_left %162, %164 : tensor<2xui32>
    %c_43 = stablehlo.constant dense<26> : tensor<ui32>
    %166 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %167 = stablehlo.shift_right_logical %162, %166 : tensor<2xui32>
    %168 = stablehlo.or %165, %167 : tensor<2xui32>
    %169 = stablehlo.xor %163, %168 : tensor<2xui32>
    %170 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %171 = stablehlo.add %163, %170 : tensor<2xui32>
    %172 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %173 = stablehlo.add %169, %172 : tensor<2xui32>
    %c_44 = stablehlo.constant dense<5> : tensor<ui32>
    %174 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %175 = stablehlo.add %173, %174 : tensor<2xui32>
    return %171, %175 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @relu(%arg0: tensor<64x8x8x32xf32>) -> tensor<64x8x8x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x8x8x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x8x8x32xf32>
    return %1 : tensor<64x8x8x32xf32>
  }
  func.func private @relu_0(%arg0: tensor<64x4x4x64xf32>) -> tensor<64x4x4x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x4x4x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x4x4x64xf32>
    return %1 : tensor<64x4x4x64xf32>
  }
  func.func private @relu_1(%arg0: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
  func.func private @_bernoulli(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<64x64xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<64x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
    return %2 : tensor<64x64xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<64x64xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<64x64xui64>
    %9 = stablehlo.iota dim = 1 : tensor<64x64xui64>
    %c = stablehlo.constant dense<64> : tensor<ui64>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<64x64xui64>
    %11 = stablehlo.multiply %10, %8 : tensor<64x64xui64>
    %c_0 = stablehlo.constant dense<1> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<64x64xui64>
    %13 = stablehlo.multiply %12, %9 : tensor<64x64xui64>
    %14 = stablehlo.add %11, %13 : tensor<64x64xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<64x64xui64>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<64x64xui64>
    %17 = stablehlo.convert %14 : (tensor<64x64xui64>) -> tensor<64x64xui32>
    %18 = stablehlo.convert %16 : (tensor<64x64xui64>) -> tensor<64x64xui32>
    %19:2 = call @threefry2x32_2(%5, %7, %18, %17) : (tensor<ui32>, tensor<ui32>, tensor<64x64xui32>, tensor<64x64xui32>) -> (tensor<64x64xui32>, tensor<64x64xui32>)
    %20 = stablehlo.xor %19#0, %19#1 : tensor<64x64xui32>
    %c_2 = stablehlo.constant dense<9> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %22 = stablehlo.shift_right_logical %20, %21 : tensor<64x64xui32>
    %c_3 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %24 = stablehlo.or %22, %23 : tensor<64x64xui32>
    %25 = stablehlo.bitcast_convert %24 : (tensor<64x64xui32>) -> tensor<64x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %27 = stablehlo.subtract %25, %26 : tensor<64x64xf32>
    %28 = stablehlo.subtract %3, %2 : tensor<1x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<64x64xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<64x64xf32>
    %31 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<64x64xf32>
    %32 = stablehlo.add %30, %31 : tensor<64x64xf32>
    %33 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<64x64xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<64x64xf32>
    return %34 : tensor<64x64xf32>
  }
  func.func private @threefry2x32_2(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<64x64xui32>, %arg3: tensor<64x64xui32>) -> (tensor<64x64xui32>, tensor<64x64xui32>) {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<64x64xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<64x64xui32>
    %6 = stablehlo.add %3, %5 : tensor<64x64xui32>
    %c_0 = stablehlo.constant dense<13> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %8 = stablehlo.shift_left %5, %7 : tensor<64x64xui32>
    %c_1 = stablehlo.constant dense<19> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %10 = stablehlo.shift_right_logical %5, %9 : tensor<64x64xui32>
    %11 = stablehlo.or %8, %10 : tensor<64x64xui32>
    %12 = stablehlo.xor %6, %11 : tensor<64x64xui32>
    %13 = stablehlo.add %6, %12 : tensor<64x64xui32>
    %c_2 = stablehlo.constant dense<15> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %15 = stablehlo.shift_left %12, %14 : tensor<64x64xui32>
    %c_3 = stablehlo.constant dense<17> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %17 = stablehlo.shift_right_logical %12, %16 : tensor<64x64xui32>
    %18 = stablehlo.or %15, %17 : tensor<64x64xui32>
    %19 = stablehlo.xor %13, %18 : tensor<64x64xui32>
    %20 = stablehlo.add %13, %19 : tensor<64x64xui32>
    %c_4 = stablehlo.constant dense<26> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %22 = stablehlo.shift_left %19, %21 : tensor<64x64xui32>
    %c_5 = stablehlo.constant dense<6> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %24 = stablehlo.shift_right_logical %19, %23 : tensor<64x64xui32>
    %25 = stablehlo.or %22, %24 : tensor<64x64xui32>
    %26 = stablehlo.xor %20, %25 : tensor<64x64xui32>
    %27 = stablehlo.add %20, %26 : tensor<64x64xui32>
    %c_6 = stablehlo.constant dense<6> : tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %29 = stablehlo.shift_left %26, %28 : tensor<64x64xui32>
    %c_7 = stablehlo.constant dense<26> : tensor<ui32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %31 = stablehlo.shift_right_logical %26, %30 : tensor<64x64xui32>
    %32 = stablehlo.or %29, %31 : tensor<64x64xui32>
    %33 = stablehlo.xor %27, %32 : tensor<64x64xui32>
    %34 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %35 = stablehlo.add %27, %34 : tensor<64x64xui32>
    %36 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %37 = stablehlo.add %33, %36 : tensor<64x64xui32>
    %c_8 = stablehlo.constant dense<1> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %39 = stablehlo.add %37, %38 : tensor<64x64xui32>
    %40 = stablehlo.add %35, %39 : tensor<64x64xui32>
    %c_9 = stablehlo.constant dense<17> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %42 = stablehlo.shift_left %39, %41 : tensor<64x64xui32>
    %c_10 = stablehlo.constant dense<15> : tensor<ui32>
    %43 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %44 = stablehlo.shift_right_logical %39, %43 : tensor<64x64xui32>
    %45 = stablehlo.or %42, %44 : tensor<64x64xui32>
    %46 = stablehlo.xor %40, %45 : tensor<64x64xui32>
    %47 = stablehlo.add %40, %46 : tensor<64x64xui32>
    %c_11 = stablehlo.constant dense<29> : tensor<ui32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %49 = stablehlo.shift_left %46, %48 : tensor<64x64xui32>
    %c_12 = stablehlo.constant dense<3> : tensor<ui32>
    %50 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %51 = stablehlo.shift_right_logical %46, %50 : tensor<64x64xui32>
    %52 = stablehlo.or %49, %51 : tensor<64x64xui32>
    %53 = stablehlo.xor %47, %52 : tensor<64x64xui32>
    %54 = stablehlo.add %47, %53 : tensor<64x64xui32>
    %c_13 = stablehlo.constant dense<16> : tensor<ui32>
    %55 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %56 = stablehlo.shift_left %53, %55 : tensor<64x64xui32>
    %c_14 = stablehlo.constant dense<16> : tensor<ui32>
    %57 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %58 = stablehlo.shift_right_logical %53, %57 : tensor<64x64xui32>
    %59 = stablehlo.or %56, %58 : tensor<64x64xui32>
    %60 = stablehlo.xor %54, %59 : tensor<64x64xui32>
    %61 = stablehlo.add %54, %60 : tensor<64x64xui32>
    %c_15 = stablehlo.constant dense<24> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %63 = stablehlo.shift_left %60, %62 : tensor<64x64xui32>
    %c_16 = stablehlo.constant dense<8> : tensor<ui32>
    %64 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %65 = stablehlo.shift_right_logical %60, %64 : tensor<64x64xui32>
    %66 = stablehlo.or %63, %65 : tensor<64x64xui32>
    %67 = stablehlo.xor %61, %66 : tensor<64x64xui32>
    %68 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %69 = stablehlo.add %61, %68 : tensor<64x64xui32>
    %70 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %71 = stablehlo.add %67, %70 : tensor<64x64xui32>
    %c_17 = stablehlo.constant dense<2> : tensor<ui32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %73 = stablehlo.add %71, %72 : tensor<64x64xui32>
    %74 = stablehlo.add %69, %73 : tensor<64x64xui32>
    %c_18 = stablehlo.constant dense<13> : tensor<ui32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %76 = stablehlo.shift_left %73, %75 : tensor<64x64xui32>
    %c_19 = stablehlo.constant dense<19> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %78 = stablehlo.shift_right_logical %73, %77 : tensor<64x64xui32>
    %79 = stablehlo.or %76, %78 : tensor<64x64xui32>
    %80 = stablehlo.xor %74, %79 : tensor<64x64xui32>
    %81 = stablehlo.add %74, %80 : tensor<64x64xui32>
    %c_20 = stablehlo.constant dense<15> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %83 = stablehlo.shift_left %80, %82 : tensor<64x64xui32>
    %c_21 = stablehlo.constant dense<17> : tensor<ui32>
    %84 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %85 = stablehlo.shift_right_logical %80, %84 : tensor<64x64xui32>
    %86 = stablehlo.or %83, %85 : tensor<64x64xui32>
    %87 = stablehlo.xor %81, %86 : tensor<64x64xui32>
    %88 = stablehlo.add %81, %87 : tensor<64x64xui32>
    %c_22 = stablehlo.constant dense<26> : tensor<ui32>
    %89 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %90 = stablehlo.shift_left %87, %89 : tensor<64x64xui32>
    %c_23 = stablehlo.constant dense<6> : tensor<ui32>
    %91 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %92 = stablehlo.shift_right_logical %87, %91 : tensor<64x64xui32>
    %93 = stablehlo.or %90, %92 : tensor<64x64xui32>
    %94 = stablehlo.xor %88, %93 : tensor<64x64xui32>
    %95 = stablehlo.add %88, %94 : tensor<64x64xui32>
    %c_24 = stablehlo.constant dense<6> : tensor<ui32>
    %96 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %97 = stablehlo.shift_left %94, %96 : tensor<64x64xui32>
    %c_25 = stablehlo.constant dense<26> : tensor<ui32>
    %98 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %99 = stablehlo.shift_right_logical %94, %98 : tensor<64x64xui32>
    %100 = stablehlo.or %97, %99 : tensor<64x64xui32>
    %101 = stablehlo.xor %95, %100 : tensor<64x64xui32>
    %102 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %103 = stablehlo.add %95, %102 : tensor<64x64xui32>
    %104 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %105 = stablehlo.add %101, %104 : tensor<64x64xui32>
    %c_26 = stablehlo.constant dense<3> : tensor<ui32>
    %106 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %107 = stablehlo.add %105, %106 : tensor<64x64xui32>
    %108 = stablehlo.add %103, %107 : tensor<64x64xui32>
    %c_27 = stablehlo.constant dense<17> : tensor<ui32>
    %109 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %110 = stablehlo.shift_left %107, %109 : tensor<64x64xui32>
    %c_28 = stablehlo.constant dense<15> : tensor<ui32>
    %111 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %112 = stablehlo.shift_right_logical %107, %111 : tensor<64x64xui32>
    %113 = stablehlo.or %110, %112 : tensor<64x64xui32>
    %114 = stablehlo.xor %108, %113 : tensor<64x64xui32>
    %115 = stablehlo.add %108, %114 : tensor<64x64xui32>
    %c_29 = stablehlo.constant dense<29> : tensor<ui32>
    %116 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %117 = stablehlo.shift_left %114, %116 : tensor<64x64xui32>
    %c_30 = stablehlo.constant dense<3> : tensor<ui32>
    %118 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %119 = stablehlo.shift_right_logical %114, %118 : tensor<64x64xui32>
    %120 = stablehlo.or %117, %119 : tensor<64x64xui32>
    %121 = stablehlo.xor %115, %120 : tensor<64x64xui32>
    %122 = stablehlo.add %115, %121 : tensor<64x64xui32>
    %c_31 = stablehlo.constant dense<16> : tensor<ui32>
    %123 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %124 = stablehlo.shift_left %121, %123 : tensor<64x64xui32>
    %c_32 = stablehlo.constant dense<16> : tensor<ui32>
    %125 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %126 = stablehlo.shift_right_logical %121, %125 : tensor<64x64xui32>
    %127 = stablehlo.or %124, %126 : tensor<64x64xui32>
    %128 = stablehlo.xor %122, %127 : tensor<64x64xui32>
    %129 = stablehlo.add %122, %128 : tensor<64x64xui32>
    %c_33 = stablehlo.constant dense<24> : tensor<ui32>
    %130 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %131 = stablehlo.shift_left %128, %130 : tensor<64x64xui32>
    %c_34 = stablehlo.constant dense<8> : tensor<ui32>
    %132 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %133 = stablehlo.shift_right_logical %128, %132 : tensor<64x64xui32>
    %134 = stablehlo.or %131, %133 : tensor<64x64xui32>
    %135 = stablehlo.xor %129, %134 : tensor<64x64xui32>
    %136 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %137 = stablehlo.add %129, %136 : tensor<64x64xui32>
    %138 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %139 = stablehlo.add %135, %138 : tensor<64x64xui32>
    %c_35 = stablehlo.constant dense<4> : tensor<ui32>
    %140 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %141 = stablehlo.add %139, %140 : tensor<64x64xui32>
    %142 = stablehlo.add %137, %141 : tensor<64x64xui32>
    %c_36 = stablehlo.constant dense<13> : tensor<ui32>
    %143 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %144 = stablehlo.shift_left %141, %143 : tensor<64x64xui32>
    %c_37 = stablehlo.constant dense<19> : tensor<ui32>
    %145 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %146 = stablehlo.shift_right_logical %141, %145 : tensor<64x64xui32>
    %147 = stablehlo.or %144, %146 : tensor<64x64xui32>
    %148 = stablehlo.xor %142, %147 : tensor<64x64xui32>
    %149 = stablehlo.add %142, %148 : tensor<64x64xui32>
    %c_38 = stablehlo.constant dense<15> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %151 = stablehlo.shift_left %148, %150 : tensor<64x64xui32>
    %c_39 = stablehlo.constant dense<17> : tensor<ui32>
    %152 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %153 = stablehlo.shift_right_logical %148, %152 : tensor<64x64xui32>
    %154 = stablehlo.or %151, %153 : tensor<64x64xui32>
    %155 = stablehlo.xor %149, %154 : tensor<64x64xui32>
    %156 = stablehlo.add %149, %155 : tensor<64x64xui32>
    %c_40 = stablehlo.constant dense<26> : tensor<ui32>
    %157 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %158 = stablehlo.shift_left %155, %157 : tensor<64x64xui32>
    %c_41 = stablehlo.constant dense<6> : tensor<ui32>
    %159 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %160 = stablehlo.shift_right_logical %155, %159 : tensor<64x64xui32>
    %161 = stablehlo.or %158, %160 : tensor<64x64xui32>
    %162 = stablehlo.xor %156, %161 : tensor<64x64xui32>
    %163 = stablehlo.add %156, %162 : tensor<64x64xui32>
    %c_42 = stablehlo.constant dense<6> : tensor<ui32>
    %164 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %165 = stablehlo.shift_left %162, %164 : tensor<64x64xui32>
    %c_43 = stablehlo.constant dense<26> : tensor<ui32>
    %166 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %167 = stablehlo.shift_right_logical %162, %166 : tensor<64x64xui32>
    %168 = stablehlo.or %165, %167 : tensor<64x64xui32>
    %169 = stablehlo.xor %163, %168 : tensor<64x64xui32>
    %170 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %171 = stablehlo.add %163, %170 : tensor<64x64xui32>
    %172 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %173 = stablehlo.add %169, %172 : tensor<64x64xui32>
    %c_44 = stablehlo.constant dense<5> : tensor<ui32>
    %174 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>
    %175 = stablehlo.add %173, %174 : tensor<64x64xui32>
    return %171, %175 : tensor<64x64xui32>, tensor<64x64xui32>
  }
  func.func private @_where(%arg0: tensor<64x64xi1>, %arg1: tensor<64x64xf32>, %arg2: tensor<f32>) -> tensor<64x64xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<64x64xi1>, tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
  func.func private @log_softmax(%arg0: tensor<64x10xf32>) -> (tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<64xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<64x10xf32>
    %6 = stablehlo.exponential %5 : tensor<64x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
    %9 = stablehlo.log %8 : tensor<64x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<64x10xf32>
    return %11, %6, %8 : tensor<64x10xf32>, tensor<64x10xf32>, tensor<64x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<64x10xf32>, %arg1: tensor<64x1xi32>) -> (tensor<64x1xf32>, tensor<64x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<64x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<64x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<64x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<64x1xi1>, tensor<64x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<64x1xi32>) -> tensor<64x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<64x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<64x1x1xi32>, tensor<64x1x1xi32>) -> tensor<64x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<64x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<64x1x1xi32>, tensor<64x1x1xi32>) -> tensor<64x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<64x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<64x1x1xi1>, tensor<i1>) -> tensor<64x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<64x10xf32>, tensor<64x1x1xi32>) -> tensor<64x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<64x1xi1>, tensor<64x1xf32>
    return %15, %5 : tensor<64x1xf32>, tensor<64x1x1xi32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<64x1x1xi32>, %arg1: tensor<64x1xf32>) -> tensor<64x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<64x10xf32>, tensor<64x1x1xi32>, tensor<64x1xf32>) -> tensor<64x10xf32>
    return %1 : tensor<64x10xf32>
  }
  func.func private @log_softmax_4(%arg0: tensor<64x10xf32>, %arg1: tensor<64x1xf32>, %arg2: tensor<64x10xf32>) -> tensor<64x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<64x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.reshape %1 : (tensor<64xf32>) -> tensor<64x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<64x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<64x1xf32>, tensor<f32>) -> tensor<64xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<64x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<64x10xf32>
    return %7 : tensor<64x10xf32>
  }
  func.func private @_where_5(%arg0: tensor<64x64xi1>, %arg1: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<64x64xi1>, tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
