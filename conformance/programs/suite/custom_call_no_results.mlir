// since 1.13
module @custom_call_no_results {
  func.func public @main(%arg0: tensor<2x3xf32>) {
    stablehlo.custom_call @plinth_conformance.ffi(%arg0) {api_version = 4 : i32, backend_config = {}, has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()
    return
  }
}
