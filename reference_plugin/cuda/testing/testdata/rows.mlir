module @jit_rows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4096x1024xf32>, %arg1: tensor<2000x8192xf32>, %arg2: tensor<300x32768xf32>, %arg3: tensor<300x20001xf32>, %arg4: tensor<300x32768xbf16>, %arg5: tensor<4096x1000xf16>, %arg6: tensor<300x16384xf64>, %arg7: tensor<5x100000xf32>) -> (tensor<4096x1024xf32> {jax.result_info = "result[0][0]"}, tensor<4096x1024xf32> {jax.result_info = "result[0][1]"}, tensor<2000x8192xf32> {jax.result_info = "result[1][0]"}, tensor<2000x8192xf32> {jax.result_info = "result[1][1]"}, tensor<300x32768xf32> {jax.result_info = "result[2][0]"}, tensor<300x32768xf32> {jax.result_info = "result[2][1]"}, tensor<300x20001xf32> {jax.result_info = "result[3][0]"}, tensor<300x20001xf32> {jax.result_info = "result[3][1]"}, tensor<300x32768xbf16> {jax.result_info = "result[4][0]"}, tensor<300x32768xbf16> {jax.result_info = "result[4][1]"}, tensor<4096x1000xf16> {jax.result_info = "result[5][0]"}, tensor<4096x1000xf16> {jax.result_info = "result[5][1]"}, tensor<300x16384xf64> {jax.result_info = "result[6][0]"}, tensor<300x16384xf64> {jax.result_info = "result[6][1]"}, tensor<5x100000xf32> {jax.result_info = "result[7][0]"}, tensor<5x100000xf32> {jax.result_info = "result[7][1]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4096xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4096xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4096x1xf32>) -> tensor<4096x1024xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4096x1024xf32>
    %6 = stablehlo.exponential %5 : tensor<4096x1024xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4096x1xf32>) -> tensor<4096x1024xf32>
    %10 = stablehlo.divide %6, %9 : tensor<4096x1024xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4096x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<4096x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<4096x1xf32>) -> tensor<4096x1024xf32>
    %16 = stablehlo.subtract %arg0, %15 : tensor<4096x1024xf32>
    %17 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<4096x1xf32>) -> tensor<4096x1024xf32>
    %18 = stablehlo.subtract %arg0, %17 : tensor<4096x1024xf32>
    %19 = stablehlo.multiply %18, %18 : tensor<4096x1024xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %cst_5 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4096x1xf32>
    %23 = stablehlo.divide %21, %22 : tensor<4096x1xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4096x1xf32>
    %25 = stablehlo.add %23, %24 : tensor<4096x1xf32>
    %26 = stablehlo.rsqrt %25 : tensor<4096x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<4096x1xf32>) -> tensor<4096x1024xf32>
    %28 = stablehlo.multiply %16, %27 : tensor<4096x1024xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%arg1 init: %cst_7) applies stablehlo.maximum across dimensions = [1] : (tensor<2000x8192xf32>, tensor<f32>) -> tensor<2000xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2000xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<2000xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<2000xf32>) -> tensor<2000x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<2000x1xf32>) -> tensor<2000x8192xf32>
    %34 = stablehlo.subtract %arg1, %33 : tensor<2000x8192xf32>
    %35 = stablehlo.exponential %34 : tensor<2000x8192xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<2000x8192xf32>, tensor<f32>) -> tensor<2000xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<2000xf32>) -> tensor<2000x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<2000x1xf32>) -> tensor<2000x8192xf32>
    %39 = stablehlo.divide %35, %38 : tensor<2000x8192xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%arg1 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<2000x8192xf32>, tensor<f32>) -> tensor<2000xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<2000xf32>) -> tensor<2000x1xf32>
    %cst_11 = stablehlo.constant dense<8.192000e+03> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2000x1xf32>
    %43 = stablehlo.divide %41, %42 : tensor<2000x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<2000x1xf32>) -> tensor<2000x8192xf32>
    %45 = stablehlo.subtract %arg1, %44 : tensor<2000x8192xf32>
    %46 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<2000x1xf32>) -> tensor<2000x8192xf32>
    %47 = stablehlo.subtract %arg1, %46 : tensor<2000x8192xf32>
    %48 = stablehlo.multiply %47, %47 : tensor<2000x8192xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<2000x8192xf32>, tensor<f32>) -> tensor<2000xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<2000xf32>) -> tensor<2000x1xf32>
    %cst_13 = stablehlo.constant dense<8.192000e+03> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2000x1xf32>
    %52 = stablehlo.divide %50, %51 : tensor<2000x1xf32>
    %cst_14 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2000x1xf32>
    %54 = stablehlo.add %52, %53 : tensor<2000x1xf32>
    %55 = stablehlo.rsqrt %54 : tensor<2000x1xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<2000x1xf32>) -> tensor<2000x8192xf32>
    %57 = stablehlo.multiply %45, %56 : tensor<2000x8192xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %58 = stablehlo.reduce(%arg2 init: %cst_15) applies stablehlo.maximum across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<300xf32>
    %60 = stablehlo.maximum %59, %58 : tensor<300xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x32768xf32>
    %63 = stablehlo.subtract %arg2, %62 : tensor<300x32768xf32>
    %64 = stablehlo.exponential %63 : tensor<300x32768xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_17) applies stablehlo.add across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x32768xf32>
    %68 = stablehlo.divide %64, %67 : tensor<300x32768xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%arg2 init: %cst_18) applies stablehlo.add across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %cst_19 = stablehlo.constant dense<3.276800e+04> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %72 = stablehlo.divide %70, %71 : tensor<300x1xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x32768xf32>
    %74 = stablehlo.subtract %arg2, %73 : tensor<300x32768xf32>
    %75 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x32768xf32>
    %76 = stablehlo.subtract %arg2, %75 : tensor<300x32768xf32>
    %77 = stablehlo.multiply %76, %76 : tensor<300x32768xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_20) applies stablehlo.add across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %cst_21 = stablehlo.constant dense<3.276800e+04> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %81 = stablehlo.divide %79, %80 : tensor<300x1xf32>
    %cst_22 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %83 = stablehlo.add %81, %82 : tensor<300x1xf32>
    %84 = stablehlo.rsqrt %83 : tensor<300x1xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x32768xf32>
    %86 = stablehlo.multiply %74, %85 : tensor<300x32768xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %87 = stablehlo.reduce(%arg3 init: %cst_23) applies stablehlo.maximum across dimensions = [1] : (tensor<300x20001xf32>, tensor<f32>) -> tensor<300xf32>
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<300xf32>
    %89 = stablehlo.maximum %88, %87 : tensor<300xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x20001xf32>
    %92 = stablehlo.subtract %arg3, %91 : tensor<300x20001xf32>
    %93 = stablehlo.exponential %92 : tensor<300x20001xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_25) applies stablehlo.add across dimensions = [1] : (tensor<300x20001xf32>, tensor<f32>) -> tensor<300xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x20001xf32>
    %97 = stablehlo.divide %93, %96 : tensor<300x20001xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%arg3 init: %cst_26) applies stablehlo.add across dimensions = [1] : (tensor<300x20001xf32>, tensor<f32>) -> tensor<300xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %cst_27 = stablehlo.constant dense<2.000100e+04> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %101 = stablehlo.divide %99, %100 : tensor<300x1xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x20001xf32>
    %103 = stablehlo.subtract %arg3, %102 : tensor<300x20001xf32>
    %104 = stablehlo.broadcast_in_dim %101, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x20001xf32>
    %105 = stablehlo.subtract %arg3, %104 : tensor<300x20001xf32>
    %106 = stablehlo.multiply %105, %105 : tensor<300x20001xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.reduce(%106 init: %cst_28) applies stablehlo.add across dimensions = [1] : (tensor<300x20001xf32>, tensor<f32>) -> tensor<300xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %cst_29 = stablehlo.constant dense<2.000100e+04> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %110 = stablehlo.divide %108, %109 : tensor<300x1xf32>
    %cst_30 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %112 = stablehlo.add %110, %111 : tensor<300x1xf32>
    %113 = stablehlo.rsqrt %112 : tensor<300x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1] : (tensor<300x1xf32>) -> tensor<300x20001xf32>
    %115 = stablehlo.multiply %103, %114 : tensor<300x20001xf32>
    %cst_31 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %116 = stablehlo.reduce(%arg4 init: %cst_31) applies stablehlo.maximum across dimensions = [1] : (tensor<300x32768xbf16>, tensor<bf16>) -> tensor<300xbf16>
    %cst_32 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %117 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<bf16>) -> tensor<300xbf16>
    %118 = stablehlo.maximum %117, %116 : tensor<300xbf16>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0] : (tensor<300xbf16>) -> tensor<300x1xbf16>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1] : (tensor<300x1xbf16>) -> tensor<300x32768xbf16>
    %121 = stablehlo.subtract %arg4, %120 : tensor<300x32768xbf16>
    %122 = stablehlo.exponential %121 : tensor<300x32768xbf16>
    %123 = stablehlo.convert %122 : (tensor<300x32768xbf16>) -> tensor<300x32768xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.reduce(%123 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %126 = stablehlo.convert %125 : (tensor<300x1xf32>) -> tensor<300x1xbf16>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1] : (tensor<300x1xbf16>) -> tensor<300x32768xbf16>
    %128 = stablehlo.divide %122, %127 : tensor<300x32768xbf16>
    %129 = stablehlo.convert %arg4 : (tensor<300x32768xbf16>) -> tensor<300x32768xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %cst_35 = stablehlo.constant dense<3.276800e+04> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %133 = stablehlo.divide %131, %132 : tensor<300x1xf32>
    %134 = stablehlo.convert %133 : (tensor<300x1xf32>) -> tensor<300x1xbf16>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1] : (tensor<300x1xbf16>) -> tensor<300x32768xbf16>
    %136 = stablehlo.subtract %arg4, %135 : tensor<300x32768xbf16>
    %137 = stablehlo.broadcast_in_dim %134, dims = [0, 1] : (tensor<300x1xbf16>) -> tensor<300x32768xbf16>
    %138 = stablehlo.subtract %arg4, %137 : tensor<300x32768xbf16>
    %139 = stablehlo.multiply %138, %138 : tensor<300x32768xbf16>
    %140 = stablehlo.convert %139 : (tensor<300x32768xbf16>) -> tensor<300x32768xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_36) applies stablehlo.add across dimensions = [1] : (tensor<300x32768xf32>, tensor<f32>) -> tensor<300xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0] : (tensor<300xf32>) -> tensor<300x1xf32>
    %cst_37 = stablehlo.constant dense<3.276800e+04> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<300x1xf32>
    %144 = stablehlo.divide %142, %143 : tensor<300x1xf32>
    %145 = stablehlo.convert %144 : (tensor<300x1xf32>) -> tensor<300x1xbf16>
    %cst_38 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %146 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<bf16>) -> tensor<300x1xbf16>
    %147 = stablehlo.add %145, %146 : tensor<300x1xbf16>
    %148 = stablehlo.rsqrt %147 : tensor<300x1xbf16>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<300x1xbf16>) -> tensor<300x32768xbf16>
    %150 = stablehlo.multiply %136, %149 : tensor<300x32768xbf16>
    %cst_39 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %151 = stablehlo.reduce(%arg5 init: %cst_39) applies stablehlo.maximum across dimensions = [1] : (tensor<4096x1000xf16>, tensor<f16>) -> tensor<4096xf16>
    %cst_40 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %152 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f16>) -> tensor<4096xf16>
    %153 = stablehlo.maximum %152, %151 : tensor<4096xf16>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0] : (tensor<4096xf16>) -> tensor<4096x1xf16>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<4096x1xf16>) -> tensor<4096x1000xf16>
    %156 = stablehlo.subtract %arg5, %155 : tensor<4096x1000xf16>
    %157 = stablehlo.exponential %156 : tensor<4096x1000xf16>
    %158 = stablehlo.convert %157 : (tensor<4096x1000xf16>) -> tensor<4096x1000xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%158 init: %cst_41) applies stablehlo.add across dimensions = [1] : (tensor<4096x1000xf32>, tensor<f32>) -> tensor<4096xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %161 = stablehlo.convert %160 : (tensor<4096x1xf32>) -> tensor<4096x1xf16>
    %162 = stablehlo.broadcast_in_dim %161, dims = [0, 1] : (tensor<4096x1xf16>) -> tensor<4096x1000xf16>
    %163 = stablehlo.divide %157, %162 : tensor<4096x1000xf16>
    %164 = stablehlo.convert %arg5 : (tensor<4096x1000xf16>) -> tensor<4096x1000xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %165 = stablehlo.reduce(%164 init: %cst_42) applies stablehlo.add across dimensions = [1] : (tensor<4096x1000xf32>, tensor<f32>) -> tensor<4096xf32>
    %166 = stablehlo.broadcast_in_dim %165, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %cst_43 = stablehlo.constant dense<1.000000e+03> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4096x1xf32>
    %168 = stablehlo.divide %166, %167 : tensor<4096x1xf32>
    %169 = stablehlo.convert %168 : (tensor<4096x1xf32>) -> tensor<4096x1xf16>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1] : (tensor<4096x1xf16>) -> tensor<4096x1000xf16>
    %171 = stablehlo.subtract %arg5, %170 : tensor<4096x1000xf16>
    %172 = stablehlo.broadcast_in_dim %169, dims = [0, 1] : (tensor<4096x1xf16>) -> tensor<4096x1000xf16>
    %173 = stablehlo.subtract %arg5, %172 : tensor<4096x1000xf16>
    %174 = stablehlo.multiply %173, %173 : tensor<4096x1000xf16>
    %175 = stablehlo.convert %174 : (tensor<4096x1000xf16>) -> tensor<4096x1000xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_44) applies stablehlo.add across dimensions = [1] : (tensor<4096x1000xf32>, tensor<f32>) -> tensor<4096xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %cst_45 = stablehlo.constant dense<1.000000e+03> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4096x1xf32>
    %179 = stablehlo.divide %177, %178 : tensor<4096x1xf32>
    %180 = stablehlo.convert %179 : (tensor<4096x1xf32>) -> tensor<4096x1xf16>
    %cst_46 = stablehlo.constant dense<1.001360e-05> : tensor<f16>
    %181 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f16>) -> tensor<4096x1xf16>
    %182 = stablehlo.add %180, %181 : tensor<4096x1xf16>
    %183 = stablehlo.rsqrt %182 : tensor<4096x1xf16>
    %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1] : (tensor<4096x1xf16>) -> tensor<4096x1000xf16>
    %185 = stablehlo.multiply %171, %184 : tensor<4096x1000xf16>
    %cst_47 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %186 = stablehlo.reduce(%arg6 init: %cst_47) applies stablehlo.maximum across dimensions = [1] : (tensor<300x16384xf64>, tensor<f64>) -> tensor<300xf64>
    %cst_48 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %187 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<300xf64>
    %188 = stablehlo.maximum %187, %186 : tensor<300xf64>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0] : (tensor<300xf64>) -> tensor<300x1xf64>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1] : (tensor<300x1xf64>) -> tensor<300x16384xf64>
    %191 = stablehlo.subtract %arg6, %190 : tensor<300x16384xf64>
    %192 = stablehlo.exponential %191 : tensor<300x16384xf64>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %193 = stablehlo.reduce(%192 init: %cst_49) applies stablehlo.add across dimensions = [1] : (tensor<300x16384xf64>, tensor<f64>) -> tensor<300xf64>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0] : (tensor<300xf64>) -> tensor<300x1xf64>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1] : (tensor<300x1xf64>) -> tensor<300x16384xf64>
    %196 = stablehlo.divide %192, %195 : tensor<300x16384xf64>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %197 = stablehlo.reduce(%arg6 init: %cst_50) applies stablehlo.add across dimensions = [1] : (tensor<300x16384xf64>, tensor<f64>) -> tensor<300xf64>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0] : (tensor<300xf64>) -> tensor<300x1xf64>
    %cst_51 = stablehlo.constant dense<1.638400e+04> : tensor<f64>
    %199 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<300x1xf64>
    %200 = stablehlo.divide %198, %199 : tensor<300x1xf64>
    %201 = stablehlo.broadcast_in_dim %200, dims = [0, 1] : (tensor<300x1xf64>) -> tensor<300x16384xf64>
    %202 = stablehlo.subtract %arg6, %201 : tensor<300x16384xf64>
    %203 = stablehlo.broadcast_in_dim %200, dims = [0, 1] : (tensor<300x1xf64>) -> tensor<300x16384xf64>
    %204 = stablehlo.subtract %arg6, %203 : tensor<300x16384xf64>
    %205 = stablehlo.multiply %204, %204 : tensor<300x16384xf64>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %206 = stablehlo.reduce(%205 init: %cst_52) applies stablehlo.add across dimensions = [1] : (tensor<300x16384xf64>, tensor<f64>) -> tensor<300xf64>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0] : (tensor<300xf64>) -> tensor<300x1xf64>
    %cst_53 = stablehlo.constant dense<1.638400e+04> : tensor<f64>
    %208 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<300x1xf64>
    %209 = stablehlo.divide %207, %208 : tensor<300x1xf64>
    %cst_54 = stablehlo.constant dense<1.000000e-05> : tensor<f64>
    %210 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<300x1xf64>
    %211 = stablehlo.add %209, %210 : tensor<300x1xf64>
    %212 = stablehlo.rsqrt %211 : tensor<300x1xf64>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<300x1xf64>) -> tensor<300x16384xf64>
    %214 = stablehlo.multiply %202, %213 : tensor<300x16384xf64>
    %cst_55 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %215 = stablehlo.reduce(%arg7 init: %cst_55) applies stablehlo.maximum across dimensions = [1] : (tensor<5x100000xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_56 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %217 = stablehlo.maximum %216, %215 : tensor<5xf32>
    %218 = stablehlo.broadcast_in_dim %217, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x100000xf32>
    %220 = stablehlo.subtract %arg7, %219 : tensor<5x100000xf32>
    %221 = stablehlo.exponential %220 : tensor<5x100000xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %222 = stablehlo.reduce(%221 init: %cst_57) applies stablehlo.add across dimensions = [1] : (tensor<5x100000xf32>, tensor<f32>) -> tensor<5xf32>
    %223 = stablehlo.broadcast_in_dim %222, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %224 = stablehlo.broadcast_in_dim %223, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x100000xf32>
    %225 = stablehlo.divide %221, %224 : tensor<5x100000xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%arg7 init: %cst_58) applies stablehlo.add across dimensions = [1] : (tensor<5x100000xf32>, tensor<f32>) -> tensor<5xf32>
    %227 = stablehlo.broadcast_in_dim %226, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %cst_59 = stablehlo.constant dense<1.000000e+05> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %229 = stablehlo.divide %227, %228 : tensor<5x1xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x100000xf32>
    %231 = stablehlo.subtract %arg7, %230 : tensor<5x100000xf32>
    %232 = stablehlo.broadcast_in_dim %229, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x100000xf32>
    %233 = stablehlo.subtract %arg7, %232 : tensor<5x100000xf32>
    %234 = stablehlo.multiply %233, %233 : tensor<5x100000xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.reduce(%234 init: %cst_60) applies stablehlo.add across dimensions = [1] : (tensor<5x100000xf32>, tensor<f32>) -> tensor<5xf32>
    %236 = stablehlo.broadcast_in_dim %235, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %cst_61 = stablehlo.constant dense<1.000000e+05> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %238 = stablehlo.divide %236, %237 : tensor<5x1xf32>
    %cst_62 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %240 = stablehlo.add %238, %239 : tensor<5x1xf32>
    %241 = stablehlo.rsqrt %240 : tensor<5x1xf32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x100000xf32>
    %243 = stablehlo.multiply %231, %242 : tensor<5x100000xf32>
    return %10, %28, %39, %57, %68, %86, %97, %115, %128, %150, %163, %185, %196, %214, %225, %243 : tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<2000x8192xf32>, tensor<2000x8192xf32>, tensor<300x32768xf32>, tensor<300x32768xf32>, tensor<300x20001xf32>, tensor<300x20001xf32>, tensor<300x32768xbf16>, tensor<300x32768xbf16>, tensor<4096x1000xf16>, tensor<4096x1000xf16>, tensor<300x16384xf64>, tensor<300x16384xf64>, tensor<5x100000xf32>, tensor<5x100000xf32>
  }
}
