// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/table.h"

#include <algorithm>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/calls/registered_call.h"

namespace plinth::backend {
namespace {

// From the type of the bytes, which is row major, to what the program calls it.
CustomCallArray ArrayOf(const compiler::Type& type, const compiler::Dims& layout) {
  CustomCallArray array;
  array.dtype = type.dtype;
  array.dims = type.dims;
  const int64_t rank = type.rank();
  for (int64_t d = rank; d-- > 0;) array.minor_to_major.push_back(d);
  if (layout.empty()) return array;
  array.minor_to_major = layout;
  for (int64_t d = 0; d < rank; ++d) array.dims[layout[d]] = type.dims[rank - 1 - d];
  return array;
}

std::vector<CustomCallArray> ArraysOf(const std::vector<compiler::plan::ArrayRef>& arrays,
                                      const std::vector<compiler::Dims>& layouts) {
  std::vector<CustomCallArray> list;
  for (size_t i = 0; i < arrays.size(); ++i) list.push_back(ArrayOf(arrays[i].type, layouts[i]));
  return list;
}

class FailingStep final : public PreparedStep {
 public:
  explicit FailingStep(Status error) : error_(std::move(error)) {}
  Outcome Run(std::span<void* const>, std::span<void* const>, const RunContext&) const override {
    return error_;
  }

 private:
  const Status error_;
};

// What an engine is made of.
struct Calls {
  std::string backend_name;
  std::vector<CallFamily> families;  // of the back end
  CallAdapter adapt;                 // may be empty
  std::vector<CallFamily> shared = {FamilyOf(AnnotationRows()), FamilyOf(BufferCallbackRows()),
                                    FamilyOf(PythonCallbackRows())};
};

Expected<std::unique_ptr<PreparedStep>> PrepareForeign(const Calls& calls, const CustomCall& call,
                                                       const std::string& place) {
  const auto adapted = [&](Expected<std::unique_ptr<PreparedStep>> prepared, CallPlace of) {
    if (!prepared.ok() || calls.adapt == nullptr) return prepared;
    return calls.adapt(*std::move(prepared), call, of);
  };
  for (const CallFamily& family : calls.shared) {
    if (family.has(call.target)) return adapted(family.prepare(call), CallPlace::kHost);
  }
  if (const auto handler = FfiRegistry::Get().Find(call.target)) {
    return adapted(PrepareRegisteredCall(*handler, call, place),
                   handler->is_of_platform ? CallPlace::kPlatform : CallPlace::kHost);
  }
  return Unimplemented("the ", calls.backend_name,
                       " plugin has no such target, and none was registered with it");
}

Expected<std::unique_ptr<PreparedStep>> PrepareCall(const compiler::plan::PlanStep& step,
                                                    const Calls& calls, AttributeBudget& budget) {
  const auto& source = *std::get_if<compiler::CustomCallAttributes>(step.attributes.get());
  std::string place = StrCat("custom_call @", source.target);
  if (step.location != nullptr && !step.location->empty()) place += StrCat(" at ", *step.location);

  const std::vector<CustomCallArray> operands = ArraysOf(step.operands, source.operand_layouts);
  const std::vector<CustomCallArray> results = ArraysOf(step.results, source.result_layouts);
  std::vector<int32_t> aliases(results.size(), -1);
  for (const auto& alias : source.aliases) aliases[alias.result] = alias.operand;
  CustomCall call;
  call.target = source.target;
  call.api_version = source.api_version;
  call.backend_config = source.backend_config;
  call.attributes = source.dictionary;
  call.operands = operands;
  call.results = results;
  call.aliases = aliases;
  call.budget = &budget;

  const auto prepare = [&]() -> Expected<std::unique_ptr<PreparedStep>> {
    for (const CallFamily& family : calls.families) {
      if (family.has(source.target)) return family.prepare(call);
    }
    return PrepareForeign(calls, call, place);
  };
  auto prepared = prepare();
  // Frameworks compile calls without anything, of targets that want something, to look at the
  // program; only running it is an error.
  const bool is_empty = operands.empty() && results.empty();
  if (is_empty && prepared.status().code() == StatusCode::kInvalidArgument) {
    return std::unique_ptr<PreparedStep>(new FailingStep(prepared.status().WithContext(place)));
  }
  if (!prepared.ok()) return prepared.status().WithContext(place);
  return prepared;
}

}  // namespace

int64_t CustomCallArray::SizeInBytes() const {
  int64_t size = ByteSize(dtype);
  for (int64_t dim : dims) size *= dim;
  return size;
}

bool CustomCallArray::IsRowMajor() const {
  for (int64_t d = 0; d < rank(); ++d) {
    if (minor_to_major[d] != rank() - 1 - d) return false;
  }
  return true;
}

bool CustomCallArray::IsColumnMajorMatrices() const {
  if (rank() < 2 || minor_to_major[0] != rank() - 2 || minor_to_major[1] != rank() - 1) {
    return false;
  }
  for (int64_t d = 2; d < rank(); ++d) {
    if (minor_to_major[d] != rank() - 1 - d) return false;
  }
  return true;
}

Expected<int64_t> CustomCall::Integer(std::string_view name) const {
  const program::AttributeRef value = attributes == nullptr ? nullptr : attributes->Find(name);
  if (value == nullptr) return InvalidArgument("the attribute \"", name, "\" is missing");
  if (!value->Is(program::AttributeKind::kInteger) && !value->Is(program::AttributeKind::kBool)) {
    return InvalidArgument("the attribute \"", name, "\" is ", program::ToString(value),
                           "; expected an integer");
  }
  return value->integer();
}

Engine CallEngine(std::string backend_name, std::vector<CallFamily> families, CallAdapter adapt) {
  return {[](const compiler::plan::PlanStep& step) {
            return step.kind == compiler::plan::PlanStepKind::kLibrary &&
                   step.opcode == compiler::Opcode::kCustomCall;
          },
          [calls = Calls{std::move(backend_name), std::move(families), std::move(adapt)}](
              const compiler::plan::PlanStep& step, Preparation& shared) {
            return PrepareCall(step, calls, shared.attributes);
          }};
}

}  // namespace plinth::backend
