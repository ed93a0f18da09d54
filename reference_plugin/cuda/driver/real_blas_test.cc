// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own cuBLASLt, where it is: what it answers without a GPU.
#include <gtest/gtest.h>

#include <utility>

#include "reference_plugin/cuda/driver/blas.h"

namespace plinth::cuda {
namespace {

class RealBlasTest : public testing::Test {
 protected:
  void SetUp() override {
    LibraryPlaces places;
    places.asked = {PLINTH_REAL_BLAS};
    auto library = BlasLibrary::Open(places);
    ASSERT_TRUE(library.ok()) << library.status().ToString();
    library_ = *library;
  }
  const BlasFunctions& api() const { return library_->api(); }
  void Expect(cublasStatus_t status, const char* what) const {
    EXPECT_TRUE(library_->Check(status, what).ok()) << library_->Check(status, what).ToString();
  }

  std::shared_ptr<const BlasLibrary> library_;
};

TEST_F(RealBlasTest, TakesOurTypesAndAttributesOfProducts) {
  constexpr std::pair<int, int> kArithmetic[] = {
      {kBlasCompute32F, kBlasR32F},         {kBlasCompute32FFastTf32, kBlasR32F},
      {kBlasCompute32FFast16BF, kBlasR32F}, {kBlasCompute32FFast16F, kBlasR32F},
      {kBlasCompute32F, kBlasC32F},         {kBlasCompute64F, kBlasR64F},
      {kBlasCompute64F, kBlasC64F},         {kBlasCompute32I, kBlasR32I}};
  for (const auto& [compute, scale] : kArithmetic) {
    cublasLtMatmulDesc_t product = nullptr;
    Expect(api().cublasLtMatmulDescCreate(&product, compute, scale), "cublasLtMatmulDescCreate");
    for (int attribute : {kBlasTransposeLeft, kBlasTransposeRight}) {
      Expect(api().cublasLtMatmulDescSetAttribute(product, attribute, &kBlasTranspose,
                                                  sizeof(kBlasTranspose)),
             "a transpose");
    }
    for (uint32_t epilogue : {kBlasPlain, kBlasRelu, kBlasGelu, kBlasAddBias,
                              kBlasRelu | kBlasAddBias, kBlasGelu | kBlasAddBias}) {
      Expect(
          api().cublasLtMatmulDescSetAttribute(product, kBlasEpilogue, &epilogue, sizeof(epilogue)),
          "an epilogue");
    }
    const void* bias = this;
    Expect(api().cublasLtMatmulDescSetAttribute(product, kBlasBias, &bias, sizeof(bias)), "a bias");
    Expect(api().cublasLtMatmulDescDestroy(product), "cublasLtMatmulDescDestroy");
  }
}

TEST_F(RealBlasTest, TakesOurAttributesOfMatrices) {
  for (int type :
       {kBlasR16F, kBlasR16BF, kBlasR32F, kBlasR64F, kBlasC32F, kBlasC64F, kBlasR8I, kBlasR32I}) {
    cublasLtMatrixLayout_t layout = nullptr;
    Expect(api().cublasLtMatrixLayoutCreate(&layout, type, 48, 16, 64), "the layout");
    const int32_t count = 7;
    Expect(api().cublasLtMatrixLayoutSetAttribute(layout, kBlasBatchCount, &count, sizeof(count)),
           "the batch");
    const int64_t stride = 1024;
    Expect(
        api().cublasLtMatrixLayoutSetAttribute(layout, kBlasBatchStride, &stride, sizeof(stride)),
        "the stride of the batch");
    // Also those before kBlasFirstWithPointers, which then take a list for a matrix (12.4.5).
    Expect(api().cublasLtMatrixLayoutSetAttribute(layout, kBlasBatchMode, &kBlasPointerArray,
                                                  sizeof(kBlasPointerArray)),
           "the mode of the batch");
    Expect(api().cublasLtMatrixLayoutDestroy(layout), "cublasLtMatrixLayoutDestroy");
  }
}

TEST_F(RealBlasTest, TakesOurPreferences) {
  cublasLtMatmulPreference_t preference = nullptr;
  Expect(api().cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const uint64_t workspace = 32 << 20;
  Expect(api().cublasLtMatmulPreferenceSetAttribute(preference, kBlasMaxWorkspace, &workspace,
                                                    sizeof(workspace)),
         "the workspace");
  const std::pair<int, uint32_t> numbers[] = {{kBlasReductionSchemes, kBlasReduceInComputeType},
                                              {kBlasAlignmentLeft, 16},
                                              {kBlasAlignmentRight, 2},
                                              {kBlasAlignmentAdded, 4},
                                              {kBlasAlignmentResult, 8}};
  for (const auto& [attribute, value] : numbers) {
    Expect(api().cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
           "a number");
  }
  Expect(api().cublasLtMatmulPreferenceDestroy(preference), "cublasLtMatmulPreferenceDestroy");
}

}  // namespace
}  // namespace plinth::cuda
