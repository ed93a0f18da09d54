// since 1.13
module @custom_call_long_name {
  func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @plinth_conformance.ffi.a_name_of_more_than_a_hundred_letters.which_differs_from_another_in_its_last_letter_alone.A(%arg0) {api_version = 4 : i32, backend_config = {}, has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
