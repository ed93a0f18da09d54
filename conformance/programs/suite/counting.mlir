module @counting {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = "stablehlo.while"(%zero, %arg0, %arg1) ({
    ^bb0(%i: tensor<i32>, %n: tensor<i32>, %x: tensor<4xf32>):
      %c = "stablehlo.compare"(%i, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%i: tensor<i32>, %n: tensor<i32>, %x: tensor<4xf32>):
      %next = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.multiply %x, %half : tensor<4xf32>
      %z = stablehlo.add %y, %half : tensor<4xf32>
      "stablehlo.return"(%next, %n, %z) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> ()
    }) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<i32>, tensor<4xf32>)
    return %0#0, %0#2 : tensor<i32>, tensor<4xf32>
  }
}
