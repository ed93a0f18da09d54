module @many_results {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>) {
    %c64 = stablehlo.constant dense<64.0> : tensor<f32>
    %c63 = stablehlo.constant dense<63.0> : tensor<1x2x3xf32>
    %c62 = stablehlo.constant dense<62.0> : tensor<2x3xf32>
    %c61 = stablehlo.constant dense<61.0> : tensor<2xf32>
    %c60 = stablehlo.constant dense<60.0> : tensor<f32>
    %c59 = stablehlo.constant dense<59.0> : tensor<1x2x3xf32>
    %c58 = stablehlo.constant dense<58.0> : tensor<2x3xf32>
    %c57 = stablehlo.constant dense<57.0> : tensor<2xf32>
    %c56 = stablehlo.constant dense<56.0> : tensor<f32>
    %c55 = stablehlo.constant dense<55.0> : tensor<1x2x3xf32>
    %c54 = stablehlo.constant dense<54.0> : tensor<2x3xf32>
    %c53 = stablehlo.constant dense<53.0> : tensor<2xf32>
    %c52 = stablehlo.constant dense<52.0> : tensor<f32>
    %c51 = stablehlo.constant dense<51.0> : tensor<1x2x3xf32>
    %c50 = stablehlo.constant dense<50.0> : tensor<2x3xf32>
    %c49 = stablehlo.constant dense<49.0> : tensor<2xf32>
    %c48 = stablehlo.constant dense<48.0> : tensor<f32>
    %c47 = stablehlo.constant dense<47.0> : tensor<1x2x3xf32>
    %c46 = stablehlo.constant dense<46.0> : tensor<2x3xf32>
    %c45 = stablehlo.constant dense<45.0> : tensor<2xf32>
    %c44 = stablehlo.constant dense<44.0> : tensor<f32>
    %c43 = stablehlo.constant dense<43.0> : tensor<1x2x3xf32>
    %c42 = stablehlo.constant dense<42.0> : tensor<2x3xf32>
    %c41 = stablehlo.constant dense<41.0> : tensor<2xf32>
    %c40 = stablehlo.constant dense<40.0> : tensor<f32>
    %c39 = stablehlo.constant dense<39.0> : tensor<1x2x3xf32>
    %c38 = stablehlo.constant dense<38.0> : tensor<2x3xf32>
    %c37 = stablehlo.constant dense<37.0> : tensor<2xf32>
    %c36 = stablehlo.constant dense<36.0> : tensor<f32>
    %c35 = stablehlo.constant dense<35.0> : tensor<1x2x3xf32>
    %c34 = stablehlo.constant dense<34.0> : tensor<2x3xf32>
    %c33 = stablehlo.constant dense<33.0> : tensor<2xf32>
    %c32 = stablehlo.constant dense<32.0> : tensor<f32>
    %c31 = stablehlo.constant dense<31.0> : tensor<1x2x3xf32>
    %c30 = stablehlo.constant dense<30.0> : tensor<2x3xf32>
    %c29 = stablehlo.constant dense<29.0> : tensor<2xf32>
    %c28 = stablehlo.constant dense<28.0> : tensor<f32>
    %c27 = stablehlo.constant dense<27.0> : tensor<1x2x3xf32>
    %c26 = stablehlo.constant dense<26.0> : tensor<2x3xf32>
    %c25 = stablehlo.constant dense<25.0> : tensor<2xf32>
    %c24 = stablehlo.constant dense<24.0> : tensor<f32>
    %c23 = stablehlo.constant dense<23.0> : tensor<1x2x3xf32>
    %c22 = stablehlo.constant dense<22.0> : tensor<2x3xf32>
    %c21 = stablehlo.constant dense<21.0> : tensor<2xf32>
    %c20 = stablehlo.constant dense<20.0> : tensor<f32>
    %c19 = stablehlo.constant dense<19.0> : tensor<1x2x3xf32>
    %c18 = stablehlo.constant dense<18.0> : tensor<2x3xf32>
    %c17 = stablehlo.constant dense<17.0> : tensor<2xf32>
    %c16 = stablehlo.constant dense<16.0> : tensor<f32>
    %c15 = stablehlo.constant dense<15.0> : tensor<1x2x3xf32>
    %c14 = stablehlo.constant dense<14.0> : tensor<2x3xf32>
    %c13 = stablehlo.constant dense<13.0> : tensor<2xf32>
    %c12 = stablehlo.constant dense<12.0> : tensor<f32>
    %c11 = stablehlo.constant dense<11.0> : tensor<1x2x3xf32>
    %c10 = stablehlo.constant dense<10.0> : tensor<2x3xf32>
    %c9 = stablehlo.constant dense<9.0> : tensor<2xf32>
    %c8 = stablehlo.constant dense<8.0> : tensor<f32>
    %c7 = stablehlo.constant dense<7.0> : tensor<1x2x3xf32>
    %c6 = stablehlo.constant dense<6.0> : tensor<2x3xf32>
    %c5 = stablehlo.constant dense<5.0> : tensor<2xf32>
    %c4 = stablehlo.constant dense<4.0> : tensor<f32>
    %c3 = stablehlo.constant dense<3.0> : tensor<1x2x3xf32>
    %c2 = stablehlo.constant dense<2.0> : tensor<2x3xf32>
    %c1 = stablehlo.constant dense<1.0> : tensor<2xf32>
    %c0 = stablehlo.constant dense<0.0> : tensor<f32>
    %b0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r0 = stablehlo.add %b0, %c0 : tensor<f32>
    %b1 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r1 = stablehlo.add %b1, %c1 : tensor<2xf32>
    %b2 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r2 = stablehlo.add %b2, %c2 : tensor<2x3xf32>
    %b3 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r3 = stablehlo.add %b3, %c3 : tensor<1x2x3xf32>
    %b4 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r4 = stablehlo.add %b4, %c4 : tensor<f32>
    %b5 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r5 = stablehlo.add %b5, %c5 : tensor<2xf32>
    %b6 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r6 = stablehlo.add %b6, %c6 : tensor<2x3xf32>
    %b7 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r7 = stablehlo.add %b7, %c7 : tensor<1x2x3xf32>
    %b8 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r8 = stablehlo.add %b8, %c8 : tensor<f32>
    %b9 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r9 = stablehlo.add %b9, %c9 : tensor<2xf32>
    %b10 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r10 = stablehlo.add %b10, %c10 : tensor<2x3xf32>
    %b11 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r11 = stablehlo.add %b11, %c11 : tensor<1x2x3xf32>
    %b12 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r12 = stablehlo.add %b12, %c12 : tensor<f32>
    %b13 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r13 = stablehlo.add %b13, %c13 : tensor<2xf32>
    %b14 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r14 = stablehlo.add %b14, %c14 : tensor<2x3xf32>
    %b15 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r15 = stablehlo.add %b15, %c15 : tensor<1x2x3xf32>
    %b16 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r16 = stablehlo.add %b16, %c16 : tensor<f32>
    %b17 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r17 = stablehlo.add %b17, %c17 : tensor<2xf32>
    %b18 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r18 = stablehlo.add %b18, %c18 : tensor<2x3xf32>
    %b19 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r19 = stablehlo.add %b19, %c19 : tensor<1x2x3xf32>
    %b20 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r20 = stablehlo.add %b20, %c20 : tensor<f32>
    %b21 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r21 = stablehlo.add %b21, %c21 : tensor<2xf32>
    %b22 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r22 = stablehlo.add %b22, %c22 : tensor<2x3xf32>
    %b23 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r23 = stablehlo.add %b23, %c23 : tensor<1x2x3xf32>
    %b24 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r24 = stablehlo.add %b24, %c24 : tensor<f32>
    %b25 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r25 = stablehlo.add %b25, %c25 : tensor<2xf32>
    %b26 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r26 = stablehlo.add %b26, %c26 : tensor<2x3xf32>
    %b27 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r27 = stablehlo.add %b27, %c27 : tensor<1x2x3xf32>
    %b28 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r28 = stablehlo.add %b28, %c28 : tensor<f32>
    %b29 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r29 = stablehlo.add %b29, %c29 : tensor<2xf32>
    %b30 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r30 = stablehlo.add %b30, %c30 : tensor<2x3xf32>
    %b31 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r31 = stablehlo.add %b31, %c31 : tensor<1x2x3xf32>
    %b32 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r32 = stablehlo.add %b32, %c32 : tensor<f32>
    %b33 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r33 = stablehlo.add %b33, %c33 : tensor<2xf32>
    %b34 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r34 = stablehlo.add %b34, %c34 : tensor<2x3xf32>
    %b35 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r35 = stablehlo.add %b35, %c35 : tensor<1x2x3xf32>
    %b36 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r36 = stablehlo.add %b36, %c36 : tensor<f32>
    %b37 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r37 = stablehlo.add %b37, %c37 : tensor<2xf32>
    %b38 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r38 = stablehlo.add %b38, %c38 : tensor<2x3xf32>
    %b39 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r39 = stablehlo.add %b39, %c39 : tensor<1x2x3xf32>
    %b40 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r40 = stablehlo.add %b40, %c40 : tensor<f32>
    %b41 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r41 = stablehlo.add %b41, %c41 : tensor<2xf32>
    %b42 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r42 = stablehlo.add %b42, %c42 : tensor<2x3xf32>
    %b43 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r43 = stablehlo.add %b43, %c43 : tensor<1x2x3xf32>
    %b44 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r44 = stablehlo.add %b44, %c44 : tensor<f32>
    %b45 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r45 = stablehlo.add %b45, %c45 : tensor<2xf32>
    %b46 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r46 = stablehlo.add %b46, %c46 : tensor<2x3xf32>
    %b47 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r47 = stablehlo.add %b47, %c47 : tensor<1x2x3xf32>
    %b48 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r48 = stablehlo.add %b48, %c48 : tensor<f32>
    %b49 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r49 = stablehlo.add %b49, %c49 : tensor<2xf32>
    %b50 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r50 = stablehlo.add %b50, %c50 : tensor<2x3xf32>
    %b51 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r51 = stablehlo.add %b51, %c51 : tensor<1x2x3xf32>
    %b52 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r52 = stablehlo.add %b52, %c52 : tensor<f32>
    %b53 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r53 = stablehlo.add %b53, %c53 : tensor<2xf32>
    %b54 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r54 = stablehlo.add %b54, %c54 : tensor<2x3xf32>
    %b55 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r55 = stablehlo.add %b55, %c55 : tensor<1x2x3xf32>
    %b56 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r56 = stablehlo.add %b56, %c56 : tensor<f32>
    %b57 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r57 = stablehlo.add %b57, %c57 : tensor<2xf32>
    %b58 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r58 = stablehlo.add %b58, %c58 : tensor<2x3xf32>
    %b59 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r59 = stablehlo.add %b59, %c59 : tensor<1x2x3xf32>
    %b60 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r60 = stablehlo.add %b60, %c60 : tensor<f32>
    %b61 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %r61 = stablehlo.add %b61, %c61 : tensor<2xf32>
    %b62 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    %r62 = stablehlo.add %b62, %c62 : tensor<2x3xf32>
    %b63 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<1x2x3xf32>
    %r63 = stablehlo.add %b63, %c63 : tensor<1x2x3xf32>
    %b64 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r64 = stablehlo.add %b64, %c64 : tensor<f32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47, %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55, %r56, %r57, %r58, %r59, %r60, %r61, %r62, %r63, %r64 : tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>, tensor<f32>
  }
}
