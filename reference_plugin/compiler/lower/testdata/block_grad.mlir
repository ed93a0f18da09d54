module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<8x24xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<2x4x8xf32>) -> (tensor<8xf32> {jax.result_info = "result['b1']"}, tensor<8xf32> {jax.result_info = "result['b2']"}, tensor<8xf32> {jax.result_info = "result['g1']"}, tensor<8xf32> {jax.result_info = "result['g2']"}, tensor<8x8xf32> {jax.result_info = "result['o']"}, tensor<8x24xf32> {jax.result_info = "result['qkv']"}, tensor<8x16xf32> {jax.result_info = "result['w1']"}, tensor<16x8xf32> {jax.result_info = "result['w2']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg8 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %5 = stablehlo.subtract %arg8, %4 : tensor<2x4x8xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<2x4x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<2x4x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %12 = stablehlo.subtract %arg8, %11 : tensor<2x4x8xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<2x4x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<2x4x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<2x4x8xf32>
    %18 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<2x4x8xf32>
    %21 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %23 = stablehlo.add %20, %22 : tensor<2x4x8xf32>
    %24 = stablehlo.dot_general %23, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x24xf32>) -> tensor<2x4x24xf32>
    %25 = stablehlo.slice %24 [0:2, 0:4, 0:8] : (tensor<2x4x24xf32>) -> tensor<2x4x8xf32>
    %26 = stablehlo.slice %24 [0:2, 0:4, 8:16] : (tensor<2x4x24xf32>) -> tensor<2x4x8xf32>
    %27 = stablehlo.slice %24 [0:2, 0:4, 16:24] : (tensor<2x4x24xf32>) -> tensor<2x4x8xf32>
    %28 = stablehlo.reshape %25 : (tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
    %29 = stablehlo.transpose %28, dims = [0, 2, 1, 3] : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %30 = stablehlo.reshape %26 : (tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
    %31 = stablehlo.transpose %30, dims = [0, 2, 1, 3] : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %32 = stablehlo.reshape %27 : (tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
    %33 = stablehlo.transpose %32, dims = [0, 2, 1, 3] : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %34 = stablehlo.transpose %31, dims = [0, 1, 3, 2] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %35 = stablehlo.dot_general %29, %34, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %36 = stablehlo.sqrt %cst_4 : tensor<f32>
    %37 = stablehlo.convert %36 : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %39 = stablehlo.divide %35, %38 : tensor<2x2x4x4xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %40 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %41 = call @tril(%40) : (tensor<4x4xi1>) -> tensor<4x4xi1>
    %cst_5 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %42:2 = call @_where(%41, %39, %cst_5) : (tensor<4x4xi1>, tensor<2x2x4x4xf32>, tensor<f32>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>)
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %43 = stablehlo.reduce(%42#0 init: %cst_6) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
    %45 = stablehlo.maximum %44, %43 : tensor<2x2x4xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %48 = stablehlo.subtract %42#0, %47 : tensor<2x2x4x4xf32>
    %49 = stablehlo.exponential %48 : tensor<2x2x4x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %53 = stablehlo.divide %49, %52 : tensor<2x2x4x4xf32>
    %54 = stablehlo.multiply %51, %51 : tensor<2x2x4x1xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x2x4x1xf32>
    %56 = stablehlo.divide %55, %54 : tensor<2x2x4x1xf32>
    %57 = stablehlo.dot_general %53, %33, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %58 = stablehlo.transpose %57, dims = [0, 2, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %59 = stablehlo.reshape %58 : (tensor<2x4x2x4xf32>) -> tensor<2x4x8xf32>
    %60 = stablehlo.dot_general %59, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %61 = stablehlo.add %arg8, %60 : tensor<2x4x8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_11 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %65 = stablehlo.divide %63, %64 : tensor<2x4x1xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %67 = stablehlo.subtract %61, %66 : tensor<2x4x8xf32>
    %68 = stablehlo.multiply %67, %67 : tensor<2x4x8xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %70 = stablehlo.multiply %69, %67 : tensor<2x4x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%68 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %cst_14 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %74 = stablehlo.divide %72, %73 : tensor<2x4x1xf32>
    %75 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %76 = stablehlo.subtract %61, %75 : tensor<2x4x8xf32>
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %78 = stablehlo.add %74, %77 : tensor<2x4x1xf32>
    %79 = stablehlo.rsqrt %78 : tensor<2x4x1xf32>
    %80 = stablehlo.divide %79, %78 : tensor<2x4x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<2x4x1xf32>
    %83 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %84 = stablehlo.multiply %76, %83 : tensor<2x4x8xf32>
    %85 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %87 = stablehlo.multiply %84, %86 : tensor<2x4x8xf32>
    %88 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %90 = stablehlo.add %87, %89 : tensor<2x4x8xf32>
    %91 = stablehlo.dot_general %90, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
    %92 = stablehlo.multiply %91, %91 : tensor<2x4x16xf32>
    %93 = stablehlo.multiply %92, %91 : tensor<2x4x16xf32>
    %94 = stablehlo.multiply %91, %91 : tensor<2x4x16xf32>
    %cst_17 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<2x4x16xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %98 = stablehlo.multiply %97, %93 : tensor<2x4x16xf32>
    %99 = stablehlo.add %91, %98 : tensor<2x4x16xf32>
    %cst_19 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %101 = stablehlo.multiply %100, %99 : tensor<2x4x16xf32>
    %102 = stablehlo.tanh %101 : tensor<2x4x16xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %104 = stablehlo.subtract %103, %102 : tensor<2x4x16xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %106 = stablehlo.add %105, %102 : tensor<2x4x16xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %108 = stablehlo.multiply %107, %106 : tensor<2x4x16xf32>
    %109 = stablehlo.multiply %91, %108 : tensor<2x4x16xf32>
    %110 = stablehlo.dot_general %109, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<16x8xf32>) -> tensor<2x4x8xf32>
    %111 = stablehlo.add %61, %110 : tensor<2x4x8xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %113 = stablehlo.multiply %112, %111 : tensor<2x4x8xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<2x4x8xf32>
    %116 = stablehlo.dot_general %115, %109, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x4x16xf32>) -> tensor<8x16xf32>
    %117 = stablehlo.transpose %116, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %118 = stablehlo.dot_general %115, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<16x8xf32>) -> tensor<2x4x16xf32>
    %119 = stablehlo.multiply %91, %118 : tensor<2x4x16xf32>
    %120 = stablehlo.multiply %118, %108 : tensor<2x4x16xf32>
    %cst_25 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %122 = stablehlo.multiply %121, %119 : tensor<2x4x16xf32>
    %123 = stablehlo.multiply %122, %104 : tensor<2x4x16xf32>
    %124 = stablehlo.multiply %123, %102 : tensor<2x4x16xf32>
    %125 = stablehlo.add %123, %124 : tensor<2x4x16xf32>
    %cst_26 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %127 = stablehlo.multiply %126, %125 : tensor<2x4x16xf32>
    %128 = stablehlo.add %120, %127 : tensor<2x4x16xf32>
    %cst_27 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %130 = stablehlo.multiply %129, %127 : tensor<2x4x16xf32>
    %131 = stablehlo.multiply %130, %96 : tensor<2x4x16xf32>
    %132 = stablehlo.add %128, %131 : tensor<2x4x16xf32>
    %133 = stablehlo.dot_general %132, %90, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<2x4x8xf32>) -> tensor<16x8xf32>
    %134 = stablehlo.transpose %133, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %135 = stablehlo.dot_general %132, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16xf32>, tensor<8x16xf32>) -> tensor<2x4x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %137 = stablehlo.reshape %136 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %139 = stablehlo.multiply %84, %135 : tensor<2x4x8xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %141 = stablehlo.reshape %140 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %142 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %143 = stablehlo.multiply %135, %142 : tensor<2x4x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%141 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %145 = stablehlo.multiply %76, %143 : tensor<2x4x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.reduce(%145 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %147 = stablehlo.reshape %146 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %148 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %149 = stablehlo.multiply %143, %148 : tensor<2x4x8xf32>
    %150 = stablehlo.multiply %147, %82 : tensor<2x4x1xf32>
    %151 = stablehlo.negate %149 : tensor<2x4x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %153 = stablehlo.reshape %152 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %154 = stablehlo.add %115, %149 : tensor<2x4x8xf32>
    %cst_34 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %156 = stablehlo.divide %150, %155 : tensor<2x4x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<2x4x1xf32>, tensor<f32>) -> tensor<2x4xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x8xf32>
    %159 = stablehlo.multiply %158, %70 : tensor<2x4x8xf32>
    %160 = stablehlo.negate %159 : tensor<2x4x8xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.reduce(%160 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %162 = stablehlo.reshape %161 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %163 = stablehlo.add %154, %159 : tensor<2x4x8xf32>
    %164 = stablehlo.add %153, %162 : tensor<2x4x1xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %166 = stablehlo.divide %164, %165 : tensor<2x4x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%166 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<2x4x1xf32>, tensor<f32>) -> tensor<2x4xf32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [0, 1] : (tensor<2x4xf32>) -> tensor<2x4x8xf32>
    %169 = stablehlo.add %163, %168 : tensor<2x4x8xf32>
    %170 = stablehlo.dot_general %169, %59, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<8x8xf32>
    %171 = stablehlo.transpose %170, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %172 = stablehlo.dot_general %169, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %173 = stablehlo.reshape %172 : (tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
    %174 = stablehlo.transpose %173, dims = [0, 2, 1, 3] : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    %175 = stablehlo.dot_general %174, %53, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %176 = stablehlo.transpose %175, dims = [0, 1, 3, 2] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %177 = stablehlo.dot_general %174, %33, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %178 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %179 = stablehlo.multiply %177, %178 : tensor<2x2x4x4xf32>
    %180 = stablehlo.multiply %179, %49 : tensor<2x2x4x4xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %181 = stablehlo.reduce(%180 init: %cst_39) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %182 = stablehlo.reshape %181 : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %183 = stablehlo.negate %182 : tensor<2x2x4x1xf32>
    %184 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %185 = stablehlo.divide %177, %184 : tensor<2x2x4x4xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %186 = stablehlo.reduce(%183 init: %cst_40) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x1xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %187 = stablehlo.broadcast_in_dim %186, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x4xf32>
    %188 = stablehlo.add %185, %187 : tensor<2x2x4x4xf32>
    %189 = stablehlo.multiply %188, %49 : tensor<2x2x4x4xf32>
    %190 = call @_where_0(%42#1, %189) : (tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %191 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %192 = stablehlo.divide %190, %191 : tensor<2x2x4x4xf32>
    %193 = stablehlo.dot_general %192, %29, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %194 = stablehlo.transpose %193, dims = [0, 1, 3, 2] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %195 = stablehlo.dot_general %192, %34, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %196 = stablehlo.transpose %194, dims = [0, 1, 3, 2] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %197 = stablehlo.transpose %176, dims = [0, 2, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %198 = stablehlo.reshape %197 : (tensor<2x4x2x4xf32>) -> tensor<2x4x8xf32>
    %199 = stablehlo.transpose %196, dims = [0, 2, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %200 = stablehlo.reshape %199 : (tensor<2x4x2x4xf32>) -> tensor<2x4x8xf32>
    %201 = stablehlo.transpose %195, dims = [0, 2, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    %202 = stablehlo.reshape %201 : (tensor<2x4x2x4xf32>) -> tensor<2x4x8xf32>
    %203 = stablehlo.concatenate %202, %200, %198, dim = 2 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x24xf32>
    %204 = stablehlo.dot_general %203, %23, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x24xf32>, tensor<2x4x8xf32>) -> tensor<24x8xf32>
    %205 = stablehlo.transpose %204, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %206 = stablehlo.dot_general %203, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x24xf32>, tensor<8x24xf32>) -> tensor<2x4x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %207 = stablehlo.reduce(%206 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %208 = stablehlo.reshape %207 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%208 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %210 = stablehlo.multiply %17, %206 : tensor<2x4x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %211 = stablehlo.reduce(%210 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %212 = stablehlo.reshape %211 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%212 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %209, %138, %213, %144, %171, %205, %134, %117 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x24xf32>, tensor<8x16xf32>, tensor<16x8xf32>
  }
  func.func private @tril(%arg0: tensor<4x4xi1>) -> tensor<4x4xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x4xi1>, tensor<4x4xi1>
    return %6 : tensor<4x4xi1>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<2x2x4x4xf32>, %arg2: tensor<f32>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<4x4xi1>) -> tensor<2x2x4x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %3, %1 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>
  }
  func.func private @_where_0(%arg0: tensor<2x2x4x4xi1>, %arg1: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %1 : tensor<2x2x4x4xf32>
  }
}
