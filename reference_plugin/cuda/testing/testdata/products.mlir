// SPDX-License-Identifier: Apache-2.0
// Products large enough for the largest tiles, of every width of sums, and what goes with them.
module @products {
  func.func public @main(%a: tensor<2048x1024xf32>, %b: tensor<1024x2048xf32>, %c: tensor<1024x1024xf64>, %d: tensor<1024x1024xcomplex<f32>>, %e: tensor<512x512xcomplex<f64>>, %f: tensor<2048x2048xbf16>, %g: tensor<1024x1024xi8>, %x: tensor<32x56x56x64xf32>, %k: tensor<3x3x64x128xf32>, %s: tensor<64x200704xf32>, %q: tensor<4x128x6x64xf32>, %t: tensor<2x700x300xbf16>, %i: tensor<5000x1xi32>, %u: tensor<5000x8xf32>) -> (tensor<2048x2048xf32>, tensor<1024x1024xf64>, tensor<1024x1024xcomplex<f32>>, tensor<512x512xcomplex<f64>>, tensor<2048x2048xbf16>, tensor<1024x1024xi32>, tensor<32x28x28x128xf32>, tensor<64xf32>, tensor<2048x2048xf32>, tensor<4x6x128x128xf32>, tensor<2x300x700xf32>, tensor<2048x2048xf32>, tensor<1048576xf64>, tensor<1000x8xf32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2048x1024xf32>, tensor<1024x2048xf32>) -> tensor<2048x2048xf32>
    %1 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [1] : (tensor<1024x1024xf64>, tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
    %2 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [0] : (tensor<1024x1024xcomplex<f32>>, tensor<1024x1024xcomplex<f32>>) -> tensor<1024x1024xcomplex<f32>>
    %3 = stablehlo.dot_general %e, %e, contracting_dims = [0] x [0] : (tensor<512x512xcomplex<f64>>, tensor<512x512xcomplex<f64>>) -> tensor<512x512xcomplex<f64>>
    %4 = stablehlo.dot_general %f, %f, contracting_dims = [1] x [0] : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
    %5 = stablehlo.dot_general %g, %g, contracting_dims = [1] x [0] : (tensor<1024x1024xi8>, tensor<1024x1024xi8>) -> tensor<1024x1024xi32>
    %6 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<32x56x56x64xf32>, tensor<3x3x64x128xf32>) -> tensor<32x28x28x128xf32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x200704xf32>, tensor<f32>) -> tensor<64xf32>
    %8 = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %less = stablehlo.compare LT, %l, %r, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    %9 = stablehlo.dot_general %q, %q, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x128x6x64xf32>, tensor<4x128x6x64xf32>) -> tensor<4x6x128x128xf32>
    %10 = stablehlo.transpose %t, dims = [0, 2, 1] : (tensor<2x700x300xbf16>) -> tensor<2x300x700xbf16>
    %11 = stablehlo.convert %10 : (tensor<2x300x700xbf16>) -> tensor<2x300x700xf32>
    %12 = stablehlo.tanh %11 : tensor<2x300x700xf32>
    %13 = "stablehlo.reduce_window"(%0, %zero) <{padding = dense<[[0, 0], [2047, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2048>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %sum = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048x2048xf32>
    %14 = stablehlo.reshape %c : (tensor<1024x1024xf64>) -> tensor<1048576xf64>
    %15 = "stablehlo.sort"(%14) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%l: tensor<f64>, %r: tensor<f64>):
      %less = stablehlo.compare LT, %l, %r, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<1048576xf64>) -> tensor<1048576xf64>
    %16 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1000x8xf32>
    %17 = "stablehlo.scatter"(%16, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %sum = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<1000x8xf32>, tensor<5000x1xi32>, tensor<5000x8xf32>) -> tensor<1000x8xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %12, %13, %15, %17 : tensor<2048x2048xf32>, tensor<1024x1024xf64>, tensor<1024x1024xcomplex<f32>>, tensor<512x512xcomplex<f64>>, tensor<2048x2048xbf16>, tensor<1024x1024xi32>, tensor<32x28x28x128xf32>, tensor<64xf32>, tensor<2048x2048xf32>, tensor<4x6x128x128xf32>, tensor<2x300x700xf32>, tensor<2048x2048xf32>, tensor<1048576xf64>, tensor<1000x8xf32>
  }
}
