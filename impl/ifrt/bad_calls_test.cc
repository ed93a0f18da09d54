// SPDX-License-Identifier: Apache-2.0
// What callers in any language may pass to the C API: null pointers, structs of other sizes, lists
// that do not go together. Each is an error that names what is wrong, and nothing is lost.
#include <fstream>
#include <regex>
#include <set>
#include <tuple>

#include "impl/ifrt/testing/fixture.h"

namespace plinth::ifrt::testing {
namespace {

constexpr const char* kHeader = "../../api/include/plinth_ifrt.h";
constexpr const char* kCopy = R"(
module @copy {
  func.func public @main(%x: tensor<4xi32>) -> tensor<4xi32> {
    return %x : tensor<4xi32>
  }
})";

// Places of arguments, from 0 on.
using Places = std::set<size_t>;

class BadCallsTest : public IfrtTest {
 protected:
  void SetUp() override {
    IfrtTest::SetUp();
    ASSERT_VALUE(rows_, client_->Named(MeshOf({2}), {{"a"}}));
    ASSERT_VALUE(single_, client_->Single(devices_[0]));
    ASSERT_VALUE(array_, MakeIota({4}, rows_));
    ASSERT_VALUE(alone_, MakeIota({4}, single_));
    spec_ = {plinth_ifrt_array_spec_STRUCT_SIZE, PJRT_Buffer_Type_S32, dims_.data(), 1,
             rows_.get()};
  }

  // Calls the function once for each pointer that it takes, with null in its place; `args` would do
  // as they are. Pointers at `optional` may be null.
  template <typename... Args>
  void CheckNulls(const char* name, plinth_status* (*function)(Args...), const Places& optional,
                  std::type_identity_t<Args>... args) {
    checked_.insert(name);
    const std::tuple<Args...> good(args...);
    EachNull(name, function, optional, good, std::index_sequence_for<Args...>());
  }
  template <typename... Args, size_t... kPlaces>
  void EachNull(const char* name, plinth_status* (*function)(Args...), const Places& optional,
                const std::tuple<Args...>& good, std::index_sequence<kPlaces...>) {
    (OneNull<kPlaces>(name, function, optional, good), ...);
  }
  template <size_t kPlace, typename... Args>
  void OneNull(const char* name, plinth_status* (*function)(Args...), const Places& optional,
               std::tuple<Args...> args) {
    if constexpr (std::is_pointer_v<std::tuple_element_t<kPlace, std::tuple<Args...>>>) {
      if (optional.contains(kPlace)) return;
      std::get<kPlace>(args) = nullptr;
      const Status status(std::apply(function, args));
      EXPECT_EQ(status.code(), kInvalid) << name << ", argument " << kPlace;
      EXPECT_NE(status.message().find("null"), std::string::npos)
          << name << ", argument " << kPlace << ": " << status.message();
    }
  }
  void ExpectIntact() const {
    for (const Array& one : {array_, alone_}) {
      EXPECT_FALSE(one.is_deleted());
      ASSERT_VALUE(const std::vector<int32_t> elements, one.ToHost<int32_t>());
      EXPECT_EQ(elements, Iota(4));
    }
  }

  const std::vector<int64_t> dims_ = {4};
  Sharding rows_;
  Sharding single_;
  Array array_;  // On two devices.
  Array alone_;  // On one.
  plinth_ifrt_array_spec spec_ = {};
  std::set<std::string> checked_;
};

#define CHECK_NULLS(function, ...) CheckNulls(#function, &function, __VA_ARGS__)

TEST_F(BadCallsTest, NullForEachPointerOfEveryFunction) {
  plinth_ifrt_client* const client = client_->get();
  const plinth_ifrt_device* const devices[] = {devices_[0].get(), devices_[1].get()};
  const plinth_ifrt_sharding* const sharding = rows_.get();
  plinth_ifrt_array* const array = array_.get();
  plinth_ifrt_array* const alone = alone_.get();
  const int64_t* const dims = dims_.data();
  int64_t numbers[8] = {};
  plinth_ifrt_sharding* made_sharding = nullptr;
  plinth_ifrt_array* made[8] = {};
  plinth_ifrt_future* future = nullptr;
  char* text = nullptr;
  char* more = nullptr;
  size_t size = 0;
  constexpr auto kReuse = PLINTH_IFRT_REUSE_INPUT;

  CHECK_NULLS(plinth_ifrt_client_create, Places{0}, nullptr, nullptr);
  CHECK_NULLS(plinth_ifrt_client_ladder, {}, client, &text);

  const size_t one_axis = 1;
  const size_t first_axis = 0;
  const int64_t two = 2;
  const plinth_ifrt_named_sharding named = {
      plinth_ifrt_named_sharding_STRUCT_SIZE, nullptr, &two, 1, 1, &one_axis, &first_axis};
  const int64_t origins[] = {0, 2};
  const int64_t extents[] = {2, 2};
  CHECK_NULLS(plinth_ifrt_sharding_replicated, Places{3}, client, devices, 2, nullptr,
              &made_sharding);
  CHECK_NULLS(plinth_ifrt_sharding_named, Places{3}, client, devices, 2, nullptr, &named,
              &made_sharding);
  CHECK_NULLS(plinth_ifrt_sharding_from_op_sharding, Places{3}, client, devices, 2, nullptr, "\x08",
              1, &made_sharding);
  CHECK_NULLS(plinth_ifrt_sharding_concrete, Places{3}, client, devices, 2, nullptr, dims, 1,
              origins, extents, &made_sharding);
  CHECK_NULLS(plinth_ifrt_sharding_opaque, Places{3}, client, devices, 2, nullptr, &made_sharding);
  CHECK_NULLS(plinth_ifrt_sharding_with_devices, Places{3}, sharding, devices, 2, nullptr,
              &made_sharding);
  CHECK_NULLS(plinth_ifrt_sharding_index_domains, {}, sharding, dims, 1, false, numbers, numbers);
  CHECK_NULLS(plinth_ifrt_sharding_shard_shape, {}, sharding, dims, 1, numbers);
  CHECK_NULLS(plinth_ifrt_sharding_to_op_sharding, {}, sharding, 1, &text, &size);

  plinth_ifrt_host_array from = {};
  from.struct_size = plinth_ifrt_host_array_STRUCT_SIZE;
  from.type = PJRT_Buffer_Type_S32;
  from.dims = dims;
  from.num_dims = 1;
  from.sharding = sharding;
  from.data = numbers;
  const plinth_ifrt_host_destination to = {plinth_ifrt_host_destination_STRUCT_SIZE, numbers,
                                           nullptr};
  CHECK_NULLS(plinth_ifrt_arrays_from_host, (Places{4, 5}), client, &from, 1,
              PLINTH_IFRT_DURING_CALL, nullptr, nullptr, made);
  CHECK_NULLS(plinth_ifrt_arrays_uninitialized, {}, client, &spec_, 1, made);
  CHECK_NULLS(plinth_ifrt_arrays_error, {}, client, &spec_, 1, PJRT_Error_Code_ABORTED, "lost",
              made);
  void* tensor = nullptr;
  CHECK_NULLS(plinth_ifrt_array_to_dlpack, {}, array, 0, &tensor);
  void* const tensors[] = {nullptr};
  CHECK_NULLS(plinth_ifrt_array_from_dlpack, {}, client, &spec_, tensors, 1, made);
  CHECK_NULLS(plinth_ifrt_arrays_to_host, {}, client, &array, 1, &to, &future);
  CHECK_NULLS(plinth_ifrt_array_layout, {}, array, &text);
  CHECK_NULLS(plinth_ifrt_arrays_ready, {}, client, &array, 1, &future);
  CHECK_NULLS(plinth_ifrt_array_assemble, {}, client, &spec_, &alone, 1, kReuse, made);
  CHECK_NULLS(plinth_ifrt_array_disassemble, {}, array, kReuse, made);
  CHECK_NULLS(plinth_ifrt_array_replicated_shard, {}, array, kReuse, made);
  CHECK_NULLS(plinth_ifrt_arrays_copy, (Places{3, 5}), client, &array, 1, nullptr, 0, nullptr,
              kReuse, made);
  const plinth_ifrt_shard_interval both = {plinth_ifrt_shard_interval_STRUCT_SIZE, 0, 2, 1};
  const plinth_ifrt_shard_mapping mapping = {
      plinth_ifrt_shard_mapping_STRUCT_SIZE, 0, 0, &both, 1, &both, 1};
  const plinth_ifrt_remap_plan plan = {
      plinth_ifrt_remap_plan_STRUCT_SIZE, &spec_, 1, &spec_, 1, &mapping, 1};
  ASSERT_OK(Status(plinth_ifrt_remap_validate(client, &plan)));
  CHECK_NULLS(plinth_ifrt_remap_validate, {}, client, &plan);
  CHECK_NULLS(plinth_ifrt_arrays_remap, {}, client, &plan, &array, 1, kReuse, made);
  CHECK_NULLS(plinth_ifrt_arrays_reshard, {}, client, &array, 1, &sharding, kReuse,
              PLINTH_IFRT_ANY_RUNG, made);
  const int64_t* const order = &numbers[0];
  CHECK_NULLS(plinth_ifrt_arrays_reshard_to_layouts, Places{4}, client, &array, 1, &sharding,
              &order, kReuse, PLINTH_IFRT_ANY_RUNG, made);
  CHECK_NULLS(plinth_ifrt_arrays_bitcast, {}, client, &array, 1, &spec_, kReuse, made);

  ASSERT_VALUE(const Executable copy, CompileFor(devices_[0], kCopy));
  plinth_ifrt_executable* const program = copy.get();
  plinth_ifrt_compile_options options = {};
  options.struct_size = plinth_ifrt_compile_options_STRUCT_SIZE;
  options.code = kCopy;
  options.code_size = std::char_traits<char>::length(kCopy);
  plinth_ifrt_executable* made_program = nullptr;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  const int64_t* out_dims = nullptr;
  const plinth_ifrt_sharding* out_sharding = nullptr;
  const plinth_ifrt_device* const* out_devices = nullptr;
  CHECK_NULLS(plinth_ifrt_executable_compile, {}, client, &options, &made_program);
  CHECK_NULLS(plinth_ifrt_executable_ready, {}, program, &future);
  CHECK_NULLS(plinth_ifrt_executable_name, {}, program, &text);
  CHECK_NULLS(plinth_ifrt_executable_devices, {}, program, &out_devices, &size);
  CHECK_NULLS(plinth_ifrt_executable_num_outputs, {}, program, &size);
  CHECK_NULLS(plinth_ifrt_executable_output, {}, program, 0, &type, &out_dims, &size,
              &out_sharding);
  CHECK_NULLS(plinth_ifrt_executable_num_parameters, {}, program, &size);
  CHECK_NULLS(plinth_ifrt_executable_parameter_sharding, {}, program, 0, &out_sharding);
  CHECK_NULLS(plinth_ifrt_executable_parameter_layout, {}, program, 0, &text);
  CHECK_NULLS(plinth_ifrt_executable_output_layout, {}, program, 0, &text);
  CHECK_NULLS(plinth_ifrt_executable_serialize, {}, program, &text, &size);
  CHECK_NULLS(plinth_ifrt_executable_fingerprint, {}, program, &text);
  CHECK_NULLS(plinth_ifrt_executable_text, {}, program, &text, &size, &more);
  CHECK_NULLS(plinth_ifrt_executable_cost, {}, program, &text);
  CHECK_NULLS(plinth_ifrt_executable_memory, {}, program, &text);
  CHECK_NULLS(plinth_ifrt_executable_execute, (Places{3, 6}), program, &alone, 1, nullptr, made, 1,
              nullptr);
  CHECK_NULLS(plinth_ifrt_executable_cancel, {}, program, 1, PJRT_Error_Code_ABORTED, "stop");
  CHECK_NULLS(plinth_ifrt_future_await, {}, nullptr, 0);
  ExpectIntact();

  // All of them.
  std::ifstream file(kHeader);
  const std::string header((std::istreambuf_iterator<char>(file)), {});
  const std::regex function(R"(plinth_status\* (plinth_ifrt_\w+)\()");
  size_t count = 0;
  for (std::sregex_iterator at(header.begin(), header.end(), function), end; at != end; ++at) {
    EXPECT_TRUE(checked_.contains((*at)[1])) << (*at)[1] << " is not called here";
    ++count;
  }
  EXPECT_EQ(count, checked_.size());
}

TEST_F(BadCallsTest, NullInListsAndStructs) {
  plinth_ifrt_client* const client = client_->get();
  plinth_ifrt_array* const with_null[] = {array_.get(), nullptr};
  const plinth_ifrt_sharding* const shardings[] = {single_.get(), nullptr};
  const plinth_ifrt_array_spec specs[] = {spec_, spec_};
  const std::vector<int32_t> elements = Iota(4);
  std::vector<int32_t> to(4);
  const plinth_ifrt_host_destination destinations[] = {
      {plinth_ifrt_host_destination_STRUCT_SIZE, to.data(), nullptr},
      {plinth_ifrt_host_destination_STRUCT_SIZE, nullptr, nullptr}};
  plinth_ifrt_array* const twice[] = {array_.get(), array_.get()};
  plinth_ifrt_array* made[2] = {array_.get(), array_.get()};
  plinth_ifrt_future* future = nullptr;
  const auto refused = [&](plinth_status* status, const std::string& text) {
    ExpectInvalid(Status(status), text);
    for (plinth_ifrt_array*& one : made) {
      EXPECT_EQ(one, nullptr) << "null on failure";
      one = array_.get();
    }
  };
  constexpr auto kDonate = PLINTH_IFRT_DONATE_INPUT;
  refused(plinth_ifrt_arrays_copy(client, with_null, 2, nullptr, 0, nullptr, kDonate, made),
          "array 1 is null");
  refused(plinth_ifrt_arrays_reshard(client, with_null, 2, shardings, kDonate, PLINTH_IFRT_ANY_RUNG,
                                     made),
          "array 1 is null");
  refused(
      plinth_ifrt_arrays_reshard(client, twice, 2, shardings, kDonate, PLINTH_IFRT_ANY_RUNG, made),
      "the new sharding of array 1 is null");
  refused(plinth_ifrt_arrays_bitcast(client, with_null, 2, specs, kDonate, made),
          "array 1 is null");
  made[1] = nullptr;
  refused(plinth_ifrt_array_assemble(client, &spec_, with_null, 2, kDonate, made),
          "shard 1 is null");
  ExpectInvalid(Status(plinth_ifrt_arrays_ready(client, with_null, 2, &future)), "null");
  ExpectInvalid(Status(plinth_ifrt_arrays_to_host(client, with_null, 2, destinations, &future)),
                "null");
  ExpectInvalid(Status(plinth_ifrt_arrays_to_host(client, twice, 2, destinations, &future)),
                "array 1");
  EXPECT_EQ(future, nullptr);

  // Fields that a struct needs.
  const auto change = [&](auto what) {
    plinth_ifrt_array_spec spec = spec_;
    what(spec);
    made[1] = nullptr;
    refused(plinth_ifrt_arrays_uninitialized(client, &spec, 1, made), "null");
  };
  change([](auto& spec) { spec.dims = nullptr; });
  change([](auto& spec) { spec.sharding = nullptr; });
  const plinth_ifrt_device* const devices[] = {devices_[0].get(), devices_[1].get()};
  const size_t one_axis = 1;
  const size_t first_axis = 0;
  const int64_t two = 2;
  const plinth_ifrt_named_sharding named = {
      plinth_ifrt_named_sharding_STRUCT_SIZE, nullptr, &two, 1, 1, &one_axis, &first_axis};
  plinth_ifrt_sharding* sharding = nullptr;
  for (const auto field :
       {&plinth_ifrt_named_sharding::num_dim_axes, &plinth_ifrt_named_sharding::dim_axes}) {
    plinth_ifrt_named_sharding wrong = named;
    wrong.*field = nullptr;
    ExpectInvalid(
        Status(plinth_ifrt_sharding_named(client, devices, 2, nullptr, &wrong, &sharding)), "null");
  }
  plinth_ifrt_named_sharding wrong = named;
  wrong.axis_sizes = nullptr;
  ExpectInvalid(Status(plinth_ifrt_sharding_named(client, devices, 2, nullptr, &wrong, &sharding)),
                "`axis_sizes` is null");
  ExpectIntact();
}

// A caller that was built with another header: its structs are smaller, or larger.
TEST_F(BadCallsTest, StructsOfOtherSizes) {
  plinth_ifrt_client* const client = client_->get();
  plinth_ifrt_array* made[2] = {};
  for (const size_t size : std::vector<size_t>{0, 8, plinth_ifrt_array_spec_STRUCT_SIZE - 8}) {
    plinth_ifrt_array_spec spec = spec_;
    spec.struct_size = size;
    ExpectInvalid(Status(plinth_ifrt_arrays_uninitialized(client, &spec, 1, made)),
                  "struct_size is " + std::to_string(size));
    plinth_ifrt_compile_options options = {};
    options.struct_size = size;
    options.code = kCopy;
    plinth_ifrt_executable* program = nullptr;
    if (size >= 24) continue;  // Those have code and its size.
    ExpectInvalid(Status(plinth_ifrt_executable_compile(client, &options, &program)),
                  "struct_size is " + std::to_string(size));
  }
  // Elements of a list lie as far apart as they say, and all say the same.
  struct FutureSpec {
    plinth_ifrt_array_spec spec;
    int64_t of_the_future;
  };
  FutureSpec list[2] = {{spec_, 1}, {spec_, 2}};
  for (FutureSpec& one : list) one.spec.struct_size = sizeof(FutureSpec);
  ASSERT_OK(Status(
      plinth_ifrt_arrays_error(client, &list[0].spec, 2, PJRT_Error_Code_ABORTED, "lost", made)));
  plinth_ifrt_arrays_release(made, 2);
  list[1].spec.struct_size = plinth_ifrt_array_spec_STRUCT_SIZE;
  ExpectInvalid(Status(plinth_ifrt_arrays_error(client, &list[0].spec, 2, PJRT_Error_Code_ABORTED,
                                                "lost", made)),
                "struct_size is " + std::to_string(plinth_ifrt_array_spec_STRUCT_SIZE));
  EXPECT_EQ(made[0], nullptr);
}

TEST_F(BadCallsTest, NumbersThatNoEnumHas) {
  plinth_ifrt_client* const client = client_->get();
  plinth_ifrt_array* const array = array_.get();
  const plinth_ifrt_sharding* const sharding = rows_.get();
  plinth_ifrt_array* made = nullptr;
  const auto semantics = static_cast<plinth_ifrt_copy_semantics>(3);
  ExpectInvalid(
      Status(plinth_ifrt_arrays_copy(client, &array, 1, nullptr, 0, nullptr, semantics, &made)),
      "copy semantics 3 are not known");
  ExpectInvalid(Status(plinth_ifrt_arrays_reshard(client, &array, 1, &sharding, semantics,
                                                  PLINTH_IFRT_ANY_RUNG, &made)),
                "copy semantics 3 are not known");
  ExpectInvalid(
      Status(plinth_ifrt_arrays_reshard(client, &array, 1, &sharding, PLINTH_IFRT_ALWAYS_COPY,
                                        static_cast<plinth_ifrt_reshard_rung>(-1), &made)),
      "rung -1 of a reshard is not known");
  ExpectInvalid(client_
                    ->FromHost({PJRT_Buffer_Type_S32, {4}, rows_}, Iota(4).data(), nullptr,
                               static_cast<Host>(4))
                    .status(),
                "host semantics 4 are not known");
  ExpectInvalid(Status(plinth_ifrt_arrays_error(client, &spec_, 1, PJRT_Error_Code_OK, "", &made)),
                "needs one, not OK");
  ExpectIntact();
}

}  // namespace
}  // namespace plinth::ifrt::testing
