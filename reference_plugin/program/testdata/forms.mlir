// Every op that has a form of its own, and the ways to write its parts.
#layout = dense<[0, 1]> : tensor<2xindex>
!vec = tensor<4xf32>
module @forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @ordered = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func public @main(%arg0: !vec {jax.arg = "a\22b\\"}, %arg1: !vec) -> (!vec {jax.result_info = ""}) {
    %0 = stablehlo.add %arg0, %arg1 : !vec
    return %0 : !vec
  }
  func.func private @declared(tensor<2xi32>, tensor<?xi1>) -> tensor<2xi32>
  func.func private @no_results(%a: tensor<f32>) {
    return
  }
  func.func private @constants() -> (tensor<2x3xi32>, tensor<i1>) attributes {some.attr = 3 : i64, some.unit} {
    %0 = stablehlo.constant dense<[[1, -2, 3], [4, 5, 0x7F]]> : tensor<2x3xi32>
    %1 = stablehlo.constant dense<true> : tensor<i1>
    %2 = stablehlo.constant dense<[true, false, true, true, false, false, false, true, true]> : tensor<9xi1>
    %3 = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
    %4 = stablehlo.constant dense<[1.0, -0.0, 1.5e-3, 0x7F800000]> : tensor<4xf32>
    %5 = stablehlo.constant dense<(1.0, -2.5)> : tensor<2xcomplex<f32>>
    %6 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f64>>
    %7 = stablehlo.constant dense<> : tensor<0x3xf32>
    %8 = stablehlo.constant dense<[-8, 7, 0, 1]> : tensor<4xi4>
    %9 = stablehlo.constant dense<[15, 7, 0, 1]> : tensor<4xui4>
    %10 = stablehlo.constant dense<[0.1, 65504.0, 1.0e-7]> : tensor<3xf16>
    %11 = stablehlo.constant dense<[0.1, 3.0e38, 0xFF80]> : tensor<3xbf16>
    %12 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %13 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %14 = stablehlo.constant {extra = 1 : i32} dense<1.0> : tensor<f64>
    %15 = stablehlo.constant dense<[0.5, 448.0, -0.001]> : tensor<3xf8E4M3FN>
    %16 = stablehlo.constant dense<[0.5, 57344.0, -0.001]> : tensor<3xf8E5M2>
    %17 = stablehlo.constant dense<[5, 5, 5]> : tensor<3xi8>
    return %0, %1 : tensor<2x3xi32>, tensor<i1>
  }
  func.func private @elementwise(%f: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>, %c: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
    %0 = stablehlo.abs %f : tensor<4xf32>
    %1 = stablehlo.abs %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = stablehlo.cbrt %f : tensor<4xf32>
    %3 = stablehlo.ceil %f : tensor<4xf32>
    %4 = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xi32>
    %5 = stablehlo.count_leading_zeros %i : tensor<4xi32>
    %6 = stablehlo.cosine %f : tensor<4xf32>
    %7 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %8 = stablehlo.exponential_minus_one %f {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %9 = stablehlo.floor %f : tensor<4xf32>
    %10 = stablehlo.imag %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %11 = stablehlo.is_finite %f : (tensor<4xf32>) -> tensor<4xi1>
    %12 = stablehlo.log %f : tensor<4xf32>
    %13 = stablehlo.log_plus_one %f : tensor<4xf32>
    %14 = stablehlo.logistic %f : tensor<4xf32>
    %15 = stablehlo.negate %f : tensor<4xf32>
    %16 = stablehlo.not %p : tensor<4xi1>
    %17 = stablehlo.popcnt %i : tensor<4xi32>
    %18 = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %19 = stablehlo.round_nearest_afz %f : tensor<4xf32>
    %20 = stablehlo.round_nearest_even %f : tensor<4xf32>
    %21 = stablehlo.rsqrt %f : tensor<4xf32>
    %22 = stablehlo.sign %f : tensor<4xf32>
    %23 = stablehlo.sine %f : tensor<4xf32>
    %24 = stablehlo.sqrt %f : tensor<4xf32>
    %25 = stablehlo.tan %f : tensor<4xf32>
    %26 = stablehlo.tanh %f : tensor<4xf32>
    %27 = stablehlo.atan2 %f, %f : tensor<4xf32>
    %28 = stablehlo.divide %f, %f : tensor<4xf32>
    %29 = stablehlo.maximum %f, %f : tensor<4xf32>
    %30 = stablehlo.minimum %f, %f : tensor<4xf32>
    %31 = stablehlo.multiply %f, %f : tensor<4xf32>
    %32 = stablehlo.power %f, %f : tensor<4xf32>
    %33 = stablehlo.remainder %f, %f : tensor<4xf32>
    %34 = stablehlo.shift_left %i, %i : tensor<4xi32>
    %35 = stablehlo.shift_right_arithmetic %i, %i : tensor<4xi32>
    %36 = stablehlo.shift_right_logical %i, %i : tensor<4xi32>
    %37 = stablehlo.subtract %f, %f : tensor<4xf32>
    %38 = stablehlo.and %p, %p : tensor<4xi1>
    %39 = stablehlo.or %p, %p : tensor<4xi1>
    %40 = stablehlo.xor %p, %p : tensor<4xi1>
    %41 = stablehlo.complex %f, %f : tensor<4xcomplex<f32>>
    %42 = stablehlo.compare LT, %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %43 = stablehlo.compare GE, %f, %f, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %44 = stablehlo.compare EQ, %i, %i, NOTYPE : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %45 = stablehlo.select %p, %f, %f : tensor<4xi1>, tensor<4xf32>
    %s = stablehlo.constant dense<true> : tensor<i1>
    %46 = stablehlo.select %s, %f, %f : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %47 = stablehlo.clamp %z, %f, %z : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %48 = stablehlo.clamp %f, %f, %f : tensor<4xf32>
    %49 = stablehlo.reduce_precision %f, format = e5m10 : tensor<4xf32>
    %50 = stablehlo.bitcast_convert %f : (tensor<4xf32>) -> tensor<4xi32>
    %51 = stablehlo.add %f, %f {mhlo.frontend_attributes = {_a = "b", "odd key" = "c"}} : tensor<4xf32>
    return %51 : tensor<4xf32>
  }
  func.func private @shapes(%a: tensor<4x6xf32>, %n: tensor<i32>, %dyn: tensor<?x6xf32, #stablehlo.bounds<8, ?>>) -> tensor<6x4xf32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x6xi32>
    %1 = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<4x6xf32>) -> tensor<4x2x6xf32>
    %3 = stablehlo.broadcast %a, sizes = [2] : (tensor<4x6xf32>) -> tensor<2x4x6xf32>
    %4 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<24xf32>
    %5 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %6 = stablehlo.slice %a [0:4:2, 1:6] : (tensor<4x6xf32>) -> tensor<2x5xf32>
    %7 = stablehlo.dynamic_slice %a, %n, %n, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %8 = stablehlo.dynamic_update_slice %a, %7, %n, %n : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %9 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
    %10 = stablehlo.reverse %a, dims = [0] : tensor<4x6xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %11 = stablehlo.pad %a, %z, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x12xf32>
    %12 = stablehlo.get_dimension_size %dyn, dim = 0 : (tensor<?x6xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
    %13 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x6xf32>, tensor<i32>) -> tensor<?x6xf32, #stablehlo.bounds<4, ?>>
    %shape = stablehlo.constant dense<[4, 6]> : tensor<2xi64>
    %14 = stablehlo.dynamic_broadcast_in_dim %n, %shape, dims = [] : (tensor<i32>, tensor<2xi64>) -> tensor<?x?xi32>
    %15 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
    %16 = stablehlo.dynamic_reshape %a, %shape : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %17 = stablehlo.dynamic_pad %a, %z, %shape, %shape, %shape : (tensor<4x6xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %18 = stablehlo.real_dynamic_slice %a, %shape, %shape, %shape : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    return %5 : tensor<6x4xf32>
  }
  func.func private @contractions(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %m: tensor<3x4xf32>, %v: tensor<4xf32>, %img: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %m, %v, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.dot_general %m, %v, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %3 = stablehlo.dot %m, %v, precision = [HIGH, HIGH] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %4 = stablehlo.dot %m, %v : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %5 = stablehlo.einsum %m, %m, config = "ab,cb->ac" : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
    %6 = stablehlo.unary_einsum %m, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
    %7 = stablehlo.convolution(%img, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x6x4xf32>
    %8 = stablehlo.convolution(%img, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %9 = stablehlo.convolution(%img, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    %10 = stablehlo.fft %v, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
    %sq = stablehlo.constant dense<1.0> : tensor<3x3xf32>
    %11 = stablehlo.cholesky %sq, lower = true : tensor<3x3xf32>
    %12 = stablehlo.cholesky %sq : tensor<3x3xf32>
    %13 = "stablehlo.triangular_solve"(%sq, %sq) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func private @regions(%a: tensor<4x6xf32>, %i: tensor<4x6xi32>, %n: tensor<i32>, %p: tensor<i1>) -> tensor<4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %iz = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1:2 = stablehlo.reduce(%a init: %z), (%i init: %iz) across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%x: tensor<f32>, %y: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>)  {
      %r = stablehlo.maximum %x, %y : tensor<f32>
      %s = stablehlo.minimum %j, %k : tensor<i32>
      stablehlo.return %r, %s : tensor<f32>, tensor<i32>
    }
    %2 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x3xf32>
    %3:2 = stablehlo.while(%it = %iz, %acc = %z) : tensor<i32>, tensor<f32> attributes {some.note = "x"}
    cond {
      %c = stablehlo.compare LT, %it, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %it, %one : tensor<i32>
      stablehlo.return %next, %acc : tensor<i32>, tensor<f32>
    }
    %4 = "stablehlo.case"(%n) ({
      stablehlo.return %z : tensor<f32>
    }, {
      %q = stablehlo.add %3#1, %z : tensor<f32>
      stablehlo.return %q : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    %5 = "stablehlo.if"(%p) ({
      stablehlo.return %z : tensor<f32>
    }, {
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %6:2 = "stablehlo.sort"(%a, %i) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
      %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
    %7 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.multiply %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %src = stablehlo.constant dense<1.0> : tensor<4x3xf32>
    %8 = "stablehlo.select_and_scatter"(%a, %src, %z) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x6xf32>
    %idx = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
    %9 = "stablehlo.gather"(%a, %idx) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %10 = "stablehlo.scatter"(%a, %idx, %9) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @impl(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
  func.func private @calls(%a: tensor<4xf32>, %state: tensor<2xui64>, %f: tensor<f32>, %tok: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
    %0 = call @impl(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.composite "my.op" %a {composite_attributes = {k = 3 : i64, s = "t", f = 1.5 : f32}, decomposition = @impl, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = {x = 1 : i32, y = array<i64: 1, 2>, z = array<f32: 1.0, 0.5>, t = f32}, has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.custom_call @bar(%a, %a) {backend_config = "opaque\00text", called_computations = [@impl], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    stablehlo.custom_call @"odd name"() {has_side_effect = true} : () -> ()
    %out, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %shape = stablehlo.constant dense<4> : tensor<1xi64>
    %5 = stablehlo.rng %f, %f, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %6:2 = stablehlo.optimization_barrier %a, %f : tensor<4xf32>, tensor<f32>
    %7 = stablehlo.after_all %tok, %tok : !stablehlo.token
    %8 = stablehlo.create_token : !stablehlo.token
    %9 = stablehlo.tuple %a, %f : tuple<tensor<4xf32>, tensor<f32>>
    %10 = stablehlo.get_tuple_element %9[1] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<f32>
    %11 = stablehlo.replica_id : tensor<ui32>
    %12 = stablehlo.partition_id : tensor<ui32>
    %13:2 = "stablehlo.infeed"(%tok) <{infeed_config = "cfg"}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %14 = "stablehlo.outfeed"(%a, %tok) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %15 = "stablehlo.send"(%a, %tok) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %16:2 = "stablehlo.recv"(%tok) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    return %0, %7 : tensor<4xf32>, !stablehlo.token
  }
  func.func private @collectives(%a: tensor<4xf32>, %m: tensor<4x4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    %2 = "stablehlo.all_to_all"(%m) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x4xf32>) -> tensor<8x2xf32>
    %3 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %r = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    %6:3 = "stablehlo.batch_norm_training"(%m, %a, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %7 = "stablehlo.batch_norm_inference"(%m, %a, %a, %a, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %8:3 = "stablehlo.batch_norm_grad"(%m, %a, %a, %a, %m) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>)
    return %0 : tensor<4xf32>
  }
  func.func private @shardings(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], unreduced={"x"}>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <mesh<["z"=2]>, [{"z"}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
    %q = stablehlo.negate %2 : tensor<8x8xf32>
    %3 = sdy.data_flow_edge %q sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %4 = sdy.named_computation<"inner">(%1) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%c: tensor<8x8xf32>) {
      sdy.return %c : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%c: tensor<4x8xf32>) {
      %6 = stablehlo.add %c, %c : tensor<4x8xf32>
      sdy.return %6 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %7 = stablehlo.custom_call @x(%5) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %7 : tensor<8x8xf32>
  }
}
