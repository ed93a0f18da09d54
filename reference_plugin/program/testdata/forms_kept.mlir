module @forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @ordered = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func public @main(%arg0: tensor<4xf32> {jax.arg = "a\22b\\"}, %arg1: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = ""}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    stablehlo.custom_call @keep(%0) {has_side_effect = true} : (tensor<4xf32>) -> ()
    return %0 : tensor<4xf32>
  }
  func.func private @declared(tensor<2xi32>, tensor<?xi1>) -> tensor<2xi32>
  func.func private @no_results(%arg0: tensor<f32>) {
    return
  }
  func.func private @constants() -> (tensor<2x3xi32>, tensor<i1>) attributes {some.attr = 3 : i64, some.unit} {
    %c = stablehlo.constant dense<[[1, -2, 3], [4, 5, 127]]> : tensor<2x3xi32>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %c_1 = stablehlo.constant dense<[true, false, true, true, false, false, false, true, true]> : tensor<9xi1>
    %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<[1.000000e+00, -0.000000e+00, 1.500000e-03, 0x7F800000]> : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<(1.000000e+00,-2.500000e+00)> : tensor<2xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,4.000000e+00)]> : tensor<2xcomplex<f64>>
    %cst_5 = stablehlo.constant dense<> : tensor<0x3xf32>
    %c_6 = stablehlo.constant dense<[-8, 7, 0, 1]> : tensor<4xi4>
    %c_7 = stablehlo.constant dense<[15, 7, 0, 1]> : tensor<4xui4>
    %cst_8 = stablehlo.constant dense<[9.997550e-02, 6.550400e+04, 1.192090e-07]> : tensor<3xf16>
    %cst_9 = stablehlo.constant dense<[1.000980e-01, 3.004060e+38, 0xFF80]> : tensor<3xbf16>
    %c_10 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %c_11 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %cst_12 = stablehlo.constant {extra = 1 : i32} dense<1.000000e+00> : tensor<f64>
    %cst_13 = stablehlo.constant dense<[5.000000e-01, 4.480000e+02, -1.953130e-03]> : tensor<3xf8E4M3FN>
    %cst_14 = stablehlo.constant dense<[5.000000e-01, 5.734400e+04, -9.765620e-04]> : tensor<3xf8E5M2>
    %c_15 = stablehlo.constant dense<5> : tensor<3xi8>
    stablehlo.custom_call @keep(%c, %c_0, %c_1, %cst, %cst_2, %cst_3, %cst_4, %cst_5, %c_6, %c_7, %cst_8, %cst_9, %c_10, %c_11, %cst_12, %cst_13, %cst_14, %c_15) {has_side_effect = true} : (tensor<2x3xi32>, tensor<i1>, tensor<9xi1>, tensor<4xf32>, tensor<4xf32>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f64>>, tensor<0x3xf32>, tensor<4xi4>, tensor<4xui4>, tensor<3xf16>, tensor<3xbf16>, tensor<ui64>, tensor<i64>, tensor<f64>, tensor<3xf8E4M3FN>, tensor<3xf8E5M2>, tensor<3xi8>) -> ()
    return %c, %c_0 : tensor<2x3xi32>, tensor<i1>
  }
  func.func private @elementwise(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xi1>, %arg3: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.abs %arg0 : tensor<4xf32>
    %1 = stablehlo.abs %arg3 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = stablehlo.cbrt %arg0 : tensor<4xf32>
    %3 = stablehlo.ceil %arg0 : tensor<4xf32>
    %4 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
    %5 = stablehlo.count_leading_zeros %arg1 : tensor<4xi32>
    %6 = stablehlo.cosine %arg0 : tensor<4xf32>
    %7 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %8 = stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %9 = stablehlo.floor %arg0 : tensor<4xf32>
    %10 = stablehlo.imag %arg3 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %11 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>
    %12 = stablehlo.log %arg0 : tensor<4xf32>
    %13 = stablehlo.log_plus_one %arg0 : tensor<4xf32>
    %14 = stablehlo.logistic %arg0 : tensor<4xf32>
    %15 = stablehlo.negate %arg0 : tensor<4xf32>
    %16 = stablehlo.not %arg2 : tensor<4xi1>
    %17 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %18 = stablehlo.real %arg3 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %19 = stablehlo.round_nearest_afz %arg0 : tensor<4xf32>
    %20 = stablehlo.round_nearest_even %arg0 : tensor<4xf32>
    %21 = stablehlo.rsqrt %arg0 : tensor<4xf32>
    %22 = stablehlo.sign %arg0 : tensor<4xf32>
    %23 = stablehlo.sine %arg0 : tensor<4xf32>
    %24 = stablehlo.sqrt %arg0 : tensor<4xf32>
    %25 = stablehlo.tan %arg0 : tensor<4xf32>
    %26 = stablehlo.tanh %arg0 : tensor<4xf32>
    %27 = stablehlo.atan2 %arg0, %arg0 : tensor<4xf32>
    %28 = stablehlo.divide %arg0, %arg0 : tensor<4xf32>
    %29 = stablehlo.maximum %arg0, %arg0 : tensor<4xf32>
    %30 = stablehlo.minimum %arg0, %arg0 : tensor<4xf32>
    %31 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %32 = stablehlo.power %arg0, %arg0 : tensor<4xf32>
    %33 = stablehlo.remainder %arg0, %arg0 : tensor<4xf32>
    %34 = stablehlo.shift_left %arg1, %arg1 : tensor<4xi32>
    %35 = stablehlo.shift_right_arithmetic %arg1, %arg1 : tensor<4xi32>
    %36 = stablehlo.shift_right_logical %arg1, %arg1 : tensor<4xi32>
    %37 = stablehlo.subtract %arg0, %arg0 : tensor<4xf32>
    %38 = stablehlo.and %arg2, %arg2 : tensor<4xi1>
    %39 = stablehlo.or %arg2, %arg2 : tensor<4xi1>
    %40 = stablehlo.xor %arg2, %arg2 : tensor<4xi1>
    %41 = stablehlo.complex %arg0, %arg0 : tensor<4xcomplex<f32>>
    %42 = stablehlo.compare LT, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %43 = stablehlo.compare GE, %arg0, %arg0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %44 = stablehlo.compare EQ, %arg1, %arg1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %45 = stablehlo.select %arg2, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
    %46 = stablehlo.select %c, %arg0, %arg0 : tensor<i1>, tensor<4xf32>
    %47 = stablehlo.clamp %cst, %arg0, %cst : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %48 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<4xf32>
    %49 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>
    %50 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
    %51 = stablehlo.add %arg0, %arg0 {mhlo.frontend_attributes = {_a = "b", "odd key" = "c"}} : tensor<4xf32>
    stablehlo.custom_call @keep(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %c, %46, %cst, %47, %48, %49, %50, %51) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<i1>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> ()
    return %51 : tensor<4xf32>
  }
  func.func private @shapes(%arg0: tensor<4x6xf32>, %arg1: tensor<i32>, %arg2: tensor<?x6xf32, #stablehlo.bounds<8, ?>>) -> tensor<6x4xf32> {
    %c = stablehlo.constant dense<[4, 6]> : tensor<2xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.iota dim = 1 : tensor<4x6xi32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<4x6xf32>) -> tensor<4x2x6xf32>
    %3 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<4x6xf32>) -> tensor<2x4x6xf32>
    %4 = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<24xf32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %6 = stablehlo.slice %arg0 [0:4:2, 1:6] : (tensor<4x6xf32>) -> tensor<2x5xf32>
    %7 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %8 = stablehlo.dynamic_update_slice %arg0, %7, %arg1, %arg1 : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %9 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
    %10 = stablehlo.reverse %arg0, dims = [0] : tensor<4x6xf32>
    %11 = stablehlo.pad %arg0, %cst, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x12xf32>
    %12 = stablehlo.get_dimension_size %arg2, dim = 0 : (tensor<?x6xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
    %13 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4x6xf32>, tensor<i32>) -> tensor<?x6xf32, #stablehlo.bounds<4, ?>>
    %14 = stablehlo.dynamic_broadcast_in_dim %arg1, %c, dims = [] : (tensor<i32>, tensor<2xi64>) -> tensor<?x?xi32>
    %15 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
    %16 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %17 = stablehlo.dynamic_pad %arg0, %cst, %c, %c, %c : (tensor<4x6xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %18 = stablehlo.real_dynamic_slice %arg0, %c, %c, %c : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    stablehlo.custom_call @keep(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %cst, %11, %12, %13, %c, %14, %15, %16, %17, %18) {has_side_effect = true} : (tensor<4x6xi32>, tensor<4xi32>, tensor<4x2x6xf32>, tensor<2x4x6xf32>, tensor<24xf32>, tensor<6x4xf32>, tensor<2x5xf32>, tensor<2x3xf32>, tensor<4x6xf32>, tensor<4x12xf32>, tensor<4x6xf32>, tensor<f32>, tensor<5x12xf32>, tensor<i32>, tensor<?x6xf32, #stablehlo.bounds<4, ?>>, tensor<2xi64>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> ()
    return %5 : tensor<6x4xf32>
  }
  func.func private @contractions(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<3x4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<1x8x8x3xf32>, %arg5: tensor<3x3x3x4xf32>) -> tensor<2x3x5xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<3x3xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %3 = stablehlo.dot %arg2, %arg3, precision = [HIGH, HIGH] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %4 = stablehlo.dot %arg2, %arg3 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %5 = stablehlo.einsum %arg2, %arg2, config = "ab,cb->ac" : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
    %6 = stablehlo.unary_einsum %arg2, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
    %7 = stablehlo.convolution(%arg4, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x6x4xf32>
    %8 = stablehlo.convolution(%arg4, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %9 = stablehlo.convolution(%arg4, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %10 = stablehlo.fft %arg3, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
    %11 = stablehlo.cholesky %cst, lower = true : tensor<3x3xf32>
    %12 = stablehlo.cholesky %cst : tensor<3x3xf32>
    %13 = "stablehlo.triangular_solve"(%cst, %cst) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    stablehlo.custom_call @keep(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %cst, %11, %12, %13) {has_side_effect = true} : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<1x4x6x4xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>, tensor<3xcomplex<f32>>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) -> ()
    return %0 : tensor<2x3x5xf32>
  }
  func.func private @regions(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi32>, %arg2: tensor<i32>, %arg3: tensor<i1>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x3xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst_1), (%arg1 init: %c_2) across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %11 = stablehlo.maximum %arg4, %arg6 : tensor<f32>
      %12 = stablehlo.minimum %arg5, %arg7 : tensor<i32>
      stablehlo.return %11, %12 : tensor<f32>, tensor<i32>
    }
    %2 = "stablehlo.reduce_window"(%arg0, %cst_1) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
    %3:2 = stablehlo.while(%iterArg = %c_2, %iterArg_3 = %cst_1) : tensor<i32>, tensor<f32> attributes {some.note = "x"}
    cond {
      %11 = stablehlo.compare LT, %iterArg, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %11 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %11, %iterArg_3 : tensor<i32>, tensor<f32>
    }
    %4 = "stablehlo.case"(%arg2) ({
      stablehlo.return %cst_1 : tensor<f32>
    }, {
      %11 = stablehlo.add %3#1, %cst_1 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    %5 = "stablehlo.if"(%arg3) ({
      stablehlo.return %cst_1 : tensor<f32>
    }, {
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %6:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %11 = stablehlo.compare LT, %arg4, %arg5, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
    %7 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.multiply %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %8 = "stablehlo.select_and_scatter"(%arg0, %cst, %cst_1) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.compare GE, %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }, {
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x6xf32>
    %9 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %10 = "stablehlo.scatter"(%arg0, %c, %9) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    stablehlo.custom_call @keep(%cst_1, %c_2, %0, %1#0, %1#1, %2, %3#0, %3#1, %4, %5, %6#0, %6#1, %7, %cst, %8, %c, %9, %10) {has_side_effect = true} : (tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<f32>, tensor<i32>, tensor<4x3xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xi32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>, tensor<4x6xf32>) -> ()
    return %0 : tensor<4xf32>
  }
  func.func private @impl(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func private @calls(%arg0: tensor<4xf32>, %arg1: tensor<2xui64>, %arg2: tensor<f32>, %arg3: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
    %c = stablehlo.constant dense<4> : tensor<1xi64>
    %0 = call @impl(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.composite "my.op" %arg0 {composite_attributes = {f = 1.500000e+00 : f32, k = 3 : i64, s = "t"}, decomposition = @impl, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @foo(%arg0) {api_version = 4 : i32, backend_config = {t = f32, x = 1 : i32, y = dense<[1, 2]> : tensor<2xi64>, z = array<f32: 1.000000e+00, 5.000000e-01>}, has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.custom_call @bar(%arg0, %arg0) {backend_config = "opaque\00text", called_computations = [@impl], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    stablehlo.custom_call @"odd name"() {has_side_effect = true} : () -> ()
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %4 = stablehlo.rng %arg2, %arg2, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %5:2 = stablehlo.optimization_barrier %arg0, %arg2 : tensor<4xf32>, tensor<f32>
    %6 = stablehlo.after_all %arg3, %arg3 : !stablehlo.token
    %7 = stablehlo.create_token : !stablehlo.token
    %8 = stablehlo.tuple %arg0, %arg2 : tuple<tensor<4xf32>, tensor<f32>>
    %9 = stablehlo.get_tuple_element %8[1] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<f32>
    %10 = stablehlo.replica_id : tensor<ui32>
    %11 = stablehlo.partition_id : tensor<ui32>
    %12:2 = "stablehlo.infeed"(%arg3) <{infeed_config = "cfg"}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %13 = "stablehlo.outfeed"(%arg0, %arg3) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %14 = "stablehlo.send"(%arg0, %arg3) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %15:2 = "stablehlo.recv"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    stablehlo.custom_call @keep(%0, %1, %2, %3, %output_state, %output, %c, %4, %5#0, %5#1, %6, %7, %8, %9, %10, %11, %12#0, %12#1, %13, %14, %15#0, %15#1) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xui64>, tensor<4xui32>, tensor<1xi64>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, !stablehlo.token, !stablehlo.token, tuple<tensor<4xf32>, tensor<f32>>, tensor<f32>, tensor<ui32>, tensor<ui32>, tensor<4xf32>, !stablehlo.token, !stablehlo.token, !stablehlo.token, tensor<4xf32>, !stablehlo.token) -> ()
    return %0, %6 : tensor<4xf32>, !stablehlo.token
  }
  func.func private @collectives(%arg0: tensor<4xf32>, %arg1: tensor<4x4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    %2 = "stablehlo.all_to_all"(%arg1) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x4xf32>) -> tensor<8x2xf32>
    %3 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg1, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %6 = "stablehlo.batch_norm_inference"(%arg1, %arg0, %arg0, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg1, %arg0, %arg0, %arg0, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
    stablehlo.custom_call @keep(%0, %1, %2, %3, %4, %5, %output, %batch_mean, %batch_var, %6, %grad_operand, %grad_scale, %grad_offset) {has_side_effect = true} : (tensor<4xf32>, tensor<8xf32>, tensor<8x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
    return %0 : tensor<4xf32>
  }
  func.func private @shardings(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], unreduced={"x"}>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <mesh<["z"=2]>, [{"z"}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
    %3 = stablehlo.negate %2 : tensor<8x8xf32>
    %4 = sdy.data_flow_edge %3 sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %5 = sdy.named_computation<"inner">(%1) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%arg2: tensor<8x8xf32>) {
      sdy.return %arg2 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>) {
      %8 = stablehlo.add %arg2, %arg2 : tensor<4x8xf32>
      sdy.return %8 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %7 = stablehlo.custom_call @x(%6) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.custom_call @keep(%0, %1, %2, %4, %5, %6, %7) {has_side_effect = true} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> ()
    return %7 : tensor<8x8xf32>
  }
}
