module @jit_adam attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8x8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8x4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<6x8xf32>, %arg7: tensor<8xf32>, %arg8: tensor<8x8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<8x4xf32>, %arg11: tensor<4xf32>, %arg12: tensor<6x8xf32>, %arg13: tensor<8xf32>, %arg14: tensor<8x8xf32>, %arg15: tensor<8xf32>, %arg16: tensor<8x4xf32>, %arg17: tensor<4xf32>, %arg18: tensor<f32>, %arg19: tensor<5x6xf32>, %arg20: tensor<5x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6x8xf32> {jax.result_info = "result[1][0][0]"}, tensor<8xf32> {jax.result_info = "result[1][0][1]"}, tensor<8x8xf32> {jax.result_info = "result[1][1][0]"}, tensor<8xf32> {jax.result_info = "result[1][1][1]"}, tensor<8x4xf32> {jax.result_info = "result[1][2][0]"}, tensor<4xf32> {jax.result_info = "result[1][2][1]"}, tensor<6x8xf32> {jax.result_info = "result[2][0][0]"}, tensor<8xf32> {jax.result_info = "result[2][0][1]"}, tensor<8x8xf32> {jax.result_info = "result[2][1][0]"}, tensor<8xf32> {jax.result_info = "result[2][1][1]"}, tensor<8x4xf32> {jax.result_info = "result[2][2][0]"}, tensor<4xf32> {jax.result_info = "result[2][2][1]"}, tensor<6x8xf32> {jax.result_info = "result[3][0][0]"}, tensor<8xf32> {jax.result_info = "result[3][0][1]"}, tensor<8x8xf32> {jax.result_info = "result[3][1][0]"}, tensor<8xf32> {jax.result_info = "result[3][1][1]"}, tensor<8x4xf32> {jax.result_info = "result[3][2][0]"}, tensor<4xf32> {jax.result_info = "result[3][2][1]"}, tensor<f32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.dot_general %arg19, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %3 = stablehlo.add %0, %2 : tensor<5x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<5x8xf32>
    %6 = stablehlo.compare EQ, %3, %5, FLOAT : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %9 = stablehlo.select %6, %7, %8 : tensor<5x8xi1>, tensor<5x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %11 = stablehlo.compare EQ, %10, %5, FLOAT : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %14 = stablehlo.select %11, %12, %13 : tensor<5x8xi1>, tensor<5x8xf32>
    %15 = stablehlo.divide %9, %14 : tensor<5x8xf32>
    %16 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
    %17 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %19 = stablehlo.add %16, %18 : tensor<5x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %21 = stablehlo.maximum %19, %20 : tensor<5x8xf32>
    %22 = stablehlo.compare EQ, %19, %21, FLOAT : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %25 = stablehlo.select %22, %23, %24 : tensor<5x8xi1>, tensor<5x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %27 = stablehlo.compare EQ, %26, %21, FLOAT : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %30 = stablehlo.select %27, %28, %29 : tensor<5x8xi1>, tensor<5x8xf32>
    %31 = stablehlo.divide %25, %30 : tensor<5x8xf32>
    %32 = stablehlo.dot_general %21, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x4xf32>) -> tensor<5x4xf32>
    %33 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<5x4xf32>
    %35 = stablehlo.add %32, %34 : tensor<5x4xf32>
    %36:3 = call @log_softmax(%35) : (tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>)
    %37 = stablehlo.multiply %36#0, %arg20 : tensor<5x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %40 = stablehlo.divide %39, %cst_13 : tensor<f32>
    %41 = stablehlo.negate %40 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.negate %cst_14 : tensor<f32>
    %cst_15 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %43 = stablehlo.divide %42, %cst_15 : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %46 = stablehlo.multiply %45, %arg20 : tensor<5x4xf32>
    %47 = call @log_softmax_0(%36#1, %36#2, %46) : (tensor<5x4xf32>, tensor<5x1xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<4xf32>
    %49 = stablehlo.reshape %48 : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %51 = stablehlo.dot_general %47, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
    %52 = stablehlo.transpose %51, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %53 = stablehlo.dot_general %47, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x4xf32>, tensor<8x4xf32>) -> tensor<5x8xf32>
    %54 = stablehlo.multiply %53, %31 : tensor<5x8xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_18) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %56 = stablehlo.reshape %55 : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %58 = stablehlo.dot_general %54, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<8x8xf32>
    %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %60 = stablehlo.dot_general %54, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
    %61 = stablehlo.multiply %60, %15 : tensor<5x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_20) applies stablehlo.add across dimensions = [0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %63 = stablehlo.reshape %62 : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_21) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %65 = stablehlo.dot_general %61, %arg19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x8xf32>, tensor<5x6xf32>) -> tensor<8x6xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %67 = stablehlo.add %arg18, %cst_22 : tensor<f32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %69 = stablehlo.multiply %68, %arg6 : tensor<6x8xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %71 = stablehlo.multiply %70, %66 : tensor<6x8xf32>
    %72 = stablehlo.add %69, %71 : tensor<6x8xf32>
    %cst_25 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %74 = stablehlo.multiply %73, %arg7 : tensor<8xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %76 = stablehlo.multiply %75, %64 : tensor<8xf32>
    %77 = stablehlo.add %74, %76 : tensor<8xf32>
    %cst_27 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %79 = stablehlo.multiply %78, %arg8 : tensor<8x8xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %81 = stablehlo.multiply %80, %59 : tensor<8x8xf32>
    %82 = stablehlo.add %79, %81 : tensor<8x8xf32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %84 = stablehlo.multiply %83, %arg9 : tensor<8xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %86 = stablehlo.multiply %85, %57 : tensor<8xf32>
    %87 = stablehlo.add %84, %86 : tensor<8xf32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %89 = stablehlo.multiply %88, %arg10 : tensor<8x4xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %91 = stablehlo.multiply %90, %52 : tensor<8x4xf32>
    %92 = stablehlo.add %89, %91 : tensor<8x4xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %94 = stablehlo.multiply %93, %arg11 : tensor<4xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %96 = stablehlo.multiply %95, %50 : tensor<4xf32>
    %97 = stablehlo.add %94, %96 : tensor<4xf32>
    %cst_35 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %99 = stablehlo.multiply %98, %arg12 : tensor<6x8xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %101 = stablehlo.multiply %100, %66 : tensor<6x8xf32>
    %102 = stablehlo.multiply %101, %66 : tensor<6x8xf32>
    %103 = stablehlo.add %99, %102 : tensor<6x8xf32>
    %cst_37 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %105 = stablehlo.multiply %104, %arg13 : tensor<8xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %107 = stablehlo.multiply %106, %64 : tensor<8xf32>
    %108 = stablehlo.multiply %107, %64 : tensor<8xf32>
    %109 = stablehlo.add %105, %108 : tensor<8xf32>
    %cst_39 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %111 = stablehlo.multiply %110, %arg14 : tensor<8x8xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %113 = stablehlo.multiply %112, %59 : tensor<8x8xf32>
    %114 = stablehlo.multiply %113, %59 : tensor<8x8xf32>
    %115 = stablehlo.add %111, %114 : tensor<8x8xf32>
    %cst_41 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %117 = stablehlo.multiply %116, %arg15 : tensor<8xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %119 = stablehlo.multiply %118, %57 : tensor<8xf32>
    %120 = stablehlo.multiply %119, %57 : tensor<8xf32>
    %121 = stablehlo.add %117, %120 : tensor<8xf32>
    %cst_43 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %123 = stablehlo.multiply %122, %arg16 : tensor<8x4xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %125 = stablehlo.multiply %124, %52 : tensor<8x4xf32>
    %126 = stablehlo.multiply %125, %52 : tensor<8x4xf32>
    %127 = stablehlo.add %123, %126 : tensor<8x4xf32>
    %cst_45 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %129 = stablehlo.multiply %128, %arg17 : tensor<4xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %131 = stablehlo.multiply %130, %50 : tensor<4xf32>
    %132 = stablehlo.multiply %131, %50 : tensor<4xf32>
    %133 = stablehlo.add %129, %132 : tensor<4xf32>
    %cst_47 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %134 = stablehlo.power %cst_47, %67 : tensor<f32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.subtract %cst_48, %134 : tensor<f32>
    %cst_49 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %136 = stablehlo.power %cst_49, %67 : tensor<f32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %137 = stablehlo.subtract %cst_50, %136 : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %139 = stablehlo.divide %72, %138 : tensor<6x8xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %141 = stablehlo.multiply %140, %139 : tensor<6x8xf32>
    %142 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %143 = stablehlo.divide %103, %142 : tensor<6x8xf32>
    %144 = stablehlo.sqrt %143 : tensor<6x8xf32>
    %cst_52 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %146 = stablehlo.add %144, %145 : tensor<6x8xf32>
    %147 = stablehlo.divide %141, %146 : tensor<6x8xf32>
    %148 = stablehlo.subtract %arg0, %147 : tensor<6x8xf32>
    %149 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %150 = stablehlo.divide %77, %149 : tensor<8xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %152 = stablehlo.multiply %151, %150 : tensor<8xf32>
    %153 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %154 = stablehlo.divide %109, %153 : tensor<8xf32>
    %155 = stablehlo.sqrt %154 : tensor<8xf32>
    %cst_54 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %157 = stablehlo.add %155, %156 : tensor<8xf32>
    %158 = stablehlo.divide %152, %157 : tensor<8xf32>
    %159 = stablehlo.subtract %arg1, %158 : tensor<8xf32>
    %160 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %161 = stablehlo.divide %82, %160 : tensor<8x8xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %163 = stablehlo.multiply %162, %161 : tensor<8x8xf32>
    %164 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %165 = stablehlo.divide %115, %164 : tensor<8x8xf32>
    %166 = stablehlo.sqrt %165 : tensor<8x8xf32>
    %cst_56 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %168 = stablehlo.add %166, %167 : tensor<8x8xf32>
    %169 = stablehlo.divide %163, %168 : tensor<8x8xf32>
    %170 = stablehlo.subtract %arg2, %169 : tensor<8x8xf32>
    %171 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %172 = stablehlo.divide %87, %171 : tensor<8xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %174 = stablehlo.multiply %173, %172 : tensor<8xf32>
    %175 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %176 = stablehlo.divide %121, %175 : tensor<8xf32>
    %177 = stablehlo.sqrt %176 : tensor<8xf32>
    %cst_58 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %179 = stablehlo.add %177, %178 : tensor<8xf32>
    %180 = stablehlo.divide %174, %179 : tensor<8xf32>
    %181 = stablehlo.subtract %arg3, %180 : tensor<8xf32>
    %182 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %183 = stablehlo.divide %92, %182 : tensor<8x4xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %185 = stablehlo.multiply %184, %183 : tensor<8x4xf32>
    %186 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %187 = stablehlo.divide %127, %186 : tensor<8x4xf32>
    %188 = stablehlo.sqrt %187 : tensor<8x4xf32>
    %cst_60 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %190 = stablehlo.add %188, %189 : tensor<8x4xf32>
    %191 = stablehlo.divide %185, %190 : tensor<8x4xf32>
    %192 = stablehlo.subtract %arg4, %191 : tensor<8x4xf32>
    %193 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %194 = stablehlo.divide %97, %193 : tensor<4xf32>
    %cst_61 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %196 = stablehlo.multiply %195, %194 : tensor<4xf32>
    %197 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %198 = stablehlo.divide %133, %197 : tensor<4xf32>
    %199 = stablehlo.sqrt %198 : tensor<4xf32>
    %cst_62 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %201 = stablehlo.add %199, %200 : tensor<4xf32>
    %202 = stablehlo.divide %196, %201 : tensor<4xf32>
    %203 = stablehlo.subtract %arg5, %202 : tensor<4xf32>
    return %41, %148, %159, %170, %181, %192, %203, %72, %77, %82, %87, %92, %97, %103, %109, %115, %121, %127, %133, %67 : tensor<f32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x4xf32>
    %6 = stablehlo.exponential %5 : tensor<5x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %9 = stablehlo.log %8 : tensor<5x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<5x4xf32>
    return %11, %6, %8 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<5x4xf32>, %arg1: tensor<5x1xf32>, %arg2: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %0 = stablehlo.negate %arg2 : tensor<5x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.reshape %1 : (tensor<5xf32>) -> tensor<5x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<5x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<5x4xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<5x4xf32>
    return %7 : tensor<5x4xf32>
  }
}
