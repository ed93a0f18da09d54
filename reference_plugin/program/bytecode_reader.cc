// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/bytecode_attributes.h"
#include "reference_plugin/program/bytecode_cursor.h"
#include "reference_plugin/program/bytecode_sections.h"
#include "reference_plugin/program/op_schema.h"
#include "reference_plugin/program/vhlo_ops.h"

// The IR section: ops, regions and value numbers.
namespace plinth::program {
namespace {

// Regions nest by recursion; deeper programs are refused.
constexpr int kMaxRegionDepth = 200;
constexpr ValueId kNoValue = UINT32_MAX;
constexpr size_t kLongestOpName = 64;

enum OpMask : uint8_t {
  kHasAttributes = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseListOrders = 0x20,
  kHasProperties = 0x40,
};

// VHLO spreads what StableHLO has as one struct over several attributes. Their names are those of
// the struct's fields, but for channels.
struct Pack {
  Op op;
  std::string_view attribute;
  std::string_view struct_name;
};
constexpr Pack kPacks[] = {
    {Op::kConvolution, "dimension_numbers", "stablehlo.conv"},
    {Op::kDynamicConv, "dimension_numbers", "stablehlo.conv"},
    {Op::kDotGeneral, "dot_dimension_numbers", "stablehlo.dot"},
    {Op::kDotGeneral, "algorithm", "stablehlo.dot_algorithm"},
    {Op::kGather, "dimension_numbers", "stablehlo.gather"},
    {Op::kDynamicGather, "dimension_numbers", "stablehlo.gather"},
    {Op::kScatter, "scatter_dimension_numbers", "stablehlo.scatter"},
    {Op::kAllGather, "channel_handle", "stablehlo.channel_handle"},
    {Op::kAllReduce, "channel_handle", "stablehlo.channel_handle"},
    {Op::kAllToAll, "channel_handle", "stablehlo.channel_handle"},
    {Op::kReduceScatter, "channel_handle", "stablehlo.channel_handle"},
    {Op::kCollectivePermute, "channel_handle", "stablehlo.channel_handle"},
    {Op::kCollectiveBroadcast, "channel_handle", "stablehlo.channel_handle"},
    {Op::kSend, "channel_handle", "stablehlo.channel_handle"},
    {Op::kRecv, "channel_handle", "stablehlo.channel_handle"},
};

std::string_view VhloNameOfField(std::string_view field) {
  if (field == "handle") return "channel_id";
  if (field == "type") return "channel_type";
  return field;
}

class IrReader {
 public:
  IrReader(BytecodeSections& sections, ModuleBuilder& builder)
      : sections_(sections), attributes_(sections.attributes()), builder_(builder) {
    for (const OpName& name : sections.op_names()) ops_.push_back(KindOf(name));
  }

  Expected<Module> Read() {
    BytecodeCursor at = sections_.ir();
    scope_ = 0;
    Operation root;
    if (!ReadTopLevel(at, &root)) return error();
    return builder_.Finish(root, num_values_);
  }

 private:
  using OpName = BytecodeSections::OpName;

  // What is known of an entry of the op name table.
  struct OpKind {
    std::optional<Op> op;
    const VhloOp* vhlo = nullptr;
    bool has_packs = false;
    // An attribute of this revision that the newest one lacks because it never meant anything.
    std::string_view dropped;
    bool is_cast = false;  // Between VHLO's and StableHLO's form of a type: ours are the same.
  };

  static OpKind KindOf(const OpName& name) {
    OpKind kind;
    // Many ops may share one long string; looking each of them up would take long.
    if (name.name.size() > kLongestOpName) return kind;
    if (name.dialect_name == "vhlo") {
      kind.vhlo = FindVhloOp(name.name);
      if (kind.vhlo != nullptr) {
        kind.op = kind.vhlo->op;
        for (const Pack& pack : kPacks) kind.has_packs = kind.has_packs || pack.op == *kind.op;
        const VhloOp& newest = NewestRevision(*kind.vhlo);
        for (std::string_view attribute : kind.vhlo->attributes) {
          if (!newest.Has(attribute)) kind.dropped = attribute;
        }
      }
    } else if (name.dialect_name == "builtin" && name.name == "unrealized_conversion_cast") {
      kind.is_cast = true;
    } else if (name.dialect_name == "builtin" || name.dialect_name == "sdy") {
      // StableHLO itself promises no stable encoding; only its text is read.
      kind.op = OpFromName(StrCat(name.dialect_name, ".", name.name));
    }
    return kind;
  }

  Status error() const { return error_.ok() ? attributes_.status() : error_; }
  Failure Fail(Status status) {
    if (error_.ok() && attributes_.status().ok()) error_ = std::move(status);
    return {};
  }
  Failure Expect(const BytecodeCursor& at, std::string_view expected) {
    return Fail(BytecodeError(at.offset(), "expected ", expected));
  }

  bool ReadTopLevel(BytecodeCursor& at, Operation* root) {
    uint64_t header;
    if (!at.Varint(&header)) return Expect(at, "the head of the top-level block");
    if (header != 2) {
      return Fail(BytecodeError(at.offset(), "expected one op at the top, found ", header >> 1));
    }
    if (!ReadOperation(at, std::nullopt, 0)) return false;
    if (op_stack_.empty()) return Expect(at, "a module at the top");
    *root = op_stack_[0];
    if (!at.empty()) {
      return Fail(BytecodeError(at.offset(), at.remaining(), " bytes after the module"));
    }
    return true;
  }

  // Appends to op_stack_, unless the op says nothing (a cast).
  bool ReadOperation(BytecodeCursor& at, std::optional<Op> parent, int depth) {
    const size_t start = at.offset();
    uint64_t name_index;
    uint8_t mask;
    if (!at.Varint(&name_index)) return Expect(at, "the name of an op");
    if (name_index >= ops_.size()) {
      return Fail(BytecodeError(start, "op name ", name_index, " is asked for, but there are ",
                                ops_.size()));
    }
    if (!at.Byte(&mask)) return Expect(at, "the mask of an op");
    Operation op;
    op.location = attributes_.ReadLocation(at);
    if (op.location == nullptr) return false;
    const OpKind& kind = ops_[name_index];
    if (!kind.op.has_value() && !kind.is_cast) return UnknownOp(name_index, start, op);
    if (!kind.is_cast) op.op = *kind.op;
    if (op.op == Op::kReturn && parent == Op::kFunc) op.op = Op::kFuncReturn;
    if (mask & kHasSuccessors) {
      return Fail(Unimplemented(Name(op.op), " (", ToString(op.location), ", byte ", start,
                                "): jumps between blocks"));
    }

    named_.clear();
    if ((mask & kHasAttributes) && !ReadAttributeDictionary(at)) return false;
    if ((mask & kHasProperties) && !ReadProperties(at, kind, name_index)) return false;
    if ((mask & kHasResults) && !ReadResultTypes(at, &op)) return false;
    if ((mask & kHasOperands) && !ReadOperands(at, &op)) return false;
    if ((mask & kHasUseListOrders) && !SkipUseListOrders(at, op.result_types.size())) return false;
    uint64_t num_regions = 0;
    bool isolated = false;
    if ((mask & kHasRegions) && !at.FlaggedVarint(&num_regions, &isolated)) {
      return Expect(at, "the number of regions");
    }
    if (kind.is_cast) return DefineCast(op, num_regions, start);

    Status status = CheckPlace(op.op, parent);
    if (status.ok()) status = FinishAttributes(kind, &op);
    if (status.ok()) {
      status = CheckCounts(op.op, op.operands.size(), op.result_types.size(), num_regions);
    }
    if (!status.ok()) {
      return Fail(status.WithContext(
          StrCat("malformed ", Name(op.op), " (", ToString(op.location), ", byte ", start, ")")));
    }
    const bool is_function = op.op == Op::kFunc;
    if (is_function) next_value_ = 0;
    op.first_result = IsModuleLevel(op.op) ? 0 : next_value_;
    const size_t first_slot = next_slot_;
    if (!DefineResults(at, op)) return false;
    if (num_regions > 0) {
      // The results are numbered, but cannot be used, before the regions.
      const size_t end_slot = next_slot_;
      std::fill(values_.begin() + static_cast<ptrdiff_t>(first_slot),
                values_.begin() + static_cast<ptrdiff_t>(end_slot), kNoValue);
      if (!ReadRegions(at, num_regions, isolated, depth, &op)) return false;
      for (size_t slot = first_slot; slot < end_slot; ++slot) {
        values_[slot] = op.first_result + static_cast<ValueId>(slot - first_slot);
      }
    }
    if (is_function) num_values_.push_back(next_value_);
    op_stack_.push_back(op);
    return true;
  }

  Failure UnknownOp(uint64_t name_index, size_t start, const Operation& op) {
    const OpName& name = sections_.op_names()[name_index];
    const std::string place = StrCat(" (", ToString(op.location), ", byte ", start, ")");
    if (name.dialect_name == "vhlo") {
      const std::string known = VhloRevisions(name.name);
      return Fail(Unimplemented("op vhlo.", name.name, place, " is not known",
                                known.empty() ? "" : "; known is ", known, " (VHLO ",
                                kOldestVhlo.major, ".", kOldestVhlo.minor, " to ",
                                kNewestVhlo.major, ".", kNewestVhlo.minor, ")"));
    }
    return Fail(Unimplemented(
        "op ", name.dialect_name, ".", name.name, place,
        " is not known; bytecode must be a portable artifact (vhlo), with sdy for shardings"));
  }

  bool ReadAttributeDictionary(BytecodeCursor& at) {
    const size_t offset = at.offset();
    AttributeRef dictionary = attributes_.ReadAttribute(at);
    if (dictionary == nullptr) return false;
    if (!dictionary->Is(AttributeKind::kDictionary)) {
      return Fail(BytecodeError(offset, "expected a dictionary of attributes"));
    }
    if (!builder_.SpendOnList(dictionary->fields().size(), sizeof(NamedAttribute))) {
      return Fail(builder_.Disproportion());
    }
    named_.assign(dictionary->fields().begin(), dictionary->fields().end());
    return true;
  }

  bool ReadProperties(BytecodeCursor& at, const OpKind& kind, uint64_t name_index) {
    if (!sections_.op_names()[name_index].registered) {
      // An op that its writer did not know has its properties as a dictionary.
      std::vector<NamedAttribute> before = named_;
      if (!ReadAttributeDictionary(at)) return false;
      named_.insert(named_.end(), before.begin(), before.end());
      return true;
    }
    const size_t offset = at.offset();
    uint64_t index;
    if (!at.Varint(&index)) return Expect(at, "the index of properties");
    if (index >= sections_.properties().size()) {
      return Fail(BytecodeError(offset, "properties ", index, " are asked for, but there are ",
                                sections_.properties().size()));
    }
    BytecodeCursor properties = sections_.properties()[index];
    if (kind.vhlo != nullptr) {
      for (std::string_view name : kind.vhlo->attributes) {
        AttributeRef value = attributes_.ReadAttribute(properties);
        if (value == nullptr) return false;
        named_.push_back({name, value});
      }
    } else if (kind.op.has_value()) {
      for (const AttributeRule& rule : SchemaOf(*kind.op).attributes) {
        AttributeRef value = nullptr;
        if (rule.absent == AttributeDefault::kRequired) {
          value = attributes_.ReadAttribute(properties);
          if (value == nullptr) return false;
        } else if (!attributes_.ReadOptionalAttribute(properties, &value)) {
          return false;
        }
        if (value != nullptr) named_.push_back({rule.name, value});
      }
    }
    if (!properties.empty()) {
      return Fail(BytecodeError(properties.offset(), properties.remaining(),
                                " bytes left over in the properties of an op"));
    }
    return true;
  }

  AttributeRef TakeNamed(std::string_view name) {
    for (size_t i = 0; i < named_.size(); ++i) {
      if (named_[i].name != name) continue;
      AttributeRef value = named_[i].value;
      named_.erase(named_.begin() + static_cast<ptrdiff_t>(i));
      return value;
    }
    return nullptr;
  }

  // A value that stands for "not given".
  static bool IsNone(AttributeRef value) {
    return value->Is(AttributeKind::kType) && value->type()->kind == TypeKind::kNone;
  }

  Status PackStruct(const Pack& pack, const VhloOp& revision) {
    std::vector<NamedAttribute> fields;
    const StructSchema& schema = *FindStruct(pack.struct_name);
    bool given = true;
    for (const FieldSchema& field : schema.fields) {
      const std::string_view name = VhloNameOfField(field.name);
      AttributeRef value = TakeNamed(name);
      if (value == nullptr && revision.Has(name)) {
        return InvalidArgument("attribute \"", name, "\" is missing");
      }
      // What this revision, or VHLO at all, cannot say.
      if (value == nullptr && field.form == FieldForm::kInts) value = builder_.NewInts({});
      if (value == nullptr && name == "channel_type") value = builder_.NewInt(DType::kS64, 0);
      if (value == nullptr || IsNone(value)) {
        given = false;
        continue;
      }
      const AttributeRule rule = {field.name, field.form == FieldForm::kInts  ? AttributeForm::kInts
                                              : field.form == FieldForm::kInt ? AttributeForm::kI64
                                              : field.form == FieldForm::kBool
                                                  ? AttributeForm::kBool
                                                  : AttributeForm::kType};
      value = ConvertAttribute(value, rule, builder_);
      if (value == nullptr) {
        if (!builder_.in_proportion()) return builder_.Disproportion();
        return InvalidArgument("attribute \"", field.name, "\" is of the wrong kind");
      }
      fields.push_back({field.name, value});
    }
    if (given) named_.push_back({pack.attribute, builder_.NewStruct(schema.name, fields)});
    return {};
  }

  Status FinishAttributes(const OpKind& kind, Operation* op) {
    if (kind.has_packs) {
      for (const Pack& pack : kPacks) {
        if (pack.op == op->op) PLINTH_RETURN_IF_ERROR(PackStruct(pack, *kind.vhlo));
      }
    }
    if (!kind.dropped.empty()) (void)TakeNamed(kind.dropped);
    if (named_.empty() && SchemaOf(op->op).attributes.empty()) return {};
    PLINTH_RETURN_IF_ERROR(Normalize(op->op, builder_, &named_));
    op->attributes = builder_.arena().Copy(named_);
    return {};
  }

  bool ReadResultTypes(BytecodeCursor& at, Operation* op) {
    uint64_t count;
    if (!at.Count(&count)) return Expect(at, "the number of results");
    types_.clear();
    for (uint64_t i = 0; i < count; ++i) {
      types_.push_back(attributes_.ReadType(at));
      if (types_.back() == nullptr) return false;
    }
    op->result_types = builder_.arena().Copy(types_);
    return true;
  }

  bool ReadOperands(BytecodeCursor& at, Operation* op) {
    uint64_t count;
    if (!at.Count(&count)) return Expect(at, "the number of operands");
    operands_.clear();
    for (uint64_t i = 0; i < count; ++i) {
      const size_t offset = at.offset();
      uint64_t index;
      if (!at.Varint(&index)) return Expect(at, "the number of a value");
      const ValueId value = index < values_.size() - scope_ ? values_[scope_ + index] : kNoValue;
      if (value == kNoValue) {
        return Fail(BytecodeError(offset, "value ", index, " is used before it is defined"));
      }
      operands_.push_back(value);
    }
    op->operands = builder_.arena().Copy(operands_);
    return true;
  }

  // Only MLIR's own passes care for the order of a value's uses.
  bool SkipUseListOrders(BytecodeCursor& at, size_t num_values) {
    uint64_t count = 1;
    if (num_values > 1 && !at.Count(&count)) return Expect(at, "use-list orders");
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t number, length;
      bool pairs;
      if (num_values > 1 && !at.Varint(&number)) return Expect(at, "the number of a value");
      if (!at.FlaggedVarint(&length, &pairs) || length > at.remaining()) {
        return Expect(at, "the length of a use-list order");
      }
      for (uint64_t j = 0; j < length; ++j) {
        if (!at.Varint(&number)) return Expect(at, "a use-list order");
      }
    }
    return true;
  }

  // Gives the next number of the current region's range to a value.
  bool Define(const BytecodeCursor& at, ValueId value) {
    if (next_slot_ >= values_.size()) {
      return Fail(BytecodeError(at.offset(), "a region defines more values than it announced"));
    }
    values_[next_slot_++] = value;
    return true;
  }

  bool DefineNew(const BytecodeCursor& at, TypeRef type) {
    if (!type->IsValueType()) {
      return Fail(BytecodeError(at.offset(), "a value of type ", ToString(type)));
    }
    value_types_.resize(next_value_);
    value_types_.push_back(type);
    return Define(at, next_value_++);
  }

  bool DefineResults(const BytecodeCursor& at, const Operation& op) {
    for (TypeRef type : op.result_types) {
      if (!DefineNew(at, type)) return false;
    }
    return true;
  }

  bool DefineCast(const Operation& op, uint64_t num_regions, size_t start) {
    if (num_regions != 0 || op.operands.size() != op.result_types.size()) {
      return Fail(BytecodeError(start, "a conversion cast between different numbers of values"));
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      TypeRef from = value_types_[op.operands[i]];
      if (from != op.result_types[i]) {
        return Fail(BytecodeError(start, "a conversion cast from ", ToString(from), " to ",
                                  ToString(op.result_types[i])));
      }
      if (next_slot_ >= values_.size()) {
        return Fail(BytecodeError(start, "a region defines more values than it announced"));
      }
      values_[next_slot_++] = op.operands[i];
    }
    return true;
  }

  bool ReadRegions(BytecodeCursor& outer, uint64_t count, bool isolated, int depth, Operation* op) {
    if (depth >= kMaxRegionDepth) {
      return Fail(
          BytecodeError(outer.offset(), "regions are nested deeper than ", kMaxRegionDepth));
    }
    BytecodeCursor section;
    const bool in_section = isolated && sections_.version() >= 2;
    if (in_section && !sections_.ReadSection(outer, BytecodeSections::kIr, &section)) {
      return Fail(sections_.status());
    }
    BytecodeCursor& at = in_section ? section : outer;
    if (count > at.remaining()) return Expect(at, "as many regions as announced");

    const size_t outer_scope = scope_;
    const size_t outer_slot = next_slot_;
    const size_t outer_size = values_.size();
    if (isolated) scope_ = values_.size();
    // Grown region by region: the number that is announced costs its writer nothing.
    std::vector<Region> regions;
    for (uint64_t i = 0; i < count; ++i) {
      if (!ReadRegion(at, *op, depth, &regions.emplace_back())) return false;
      values_.resize(outer_size);
    }
    scope_ = outer_scope;
    next_slot_ = outer_slot;
    if (in_section && !section.empty()) {
      return Fail(
          BytecodeError(section.offset(), section.remaining(), " bytes left over after a region"));
    }
    op->regions = builder_.arena().Copy(regions);
    return true;
  }

  bool ReadRegion(BytecodeCursor& at, const Operation& op, int depth, Region* region) {
    uint64_t num_blocks, num_values, header;
    region->first_argument = next_value_;
    if (!at.Varint(&num_blocks)) return Expect(at, "the number of blocks");
    if (num_blocks == 0) return true;
    if (num_blocks > 1) {
      return Fail(Unimplemented(Name(op.op), " (", ToString(op.location), ", byte ", at.offset(),
                                "): a region of ", num_blocks, " blocks; one was expected"));
    }
    // Each value that is still to come takes a byte of the file, so lies cannot take much memory.
    if (!at.Count(&num_values) || num_values + values_.size() > sections_.file_size()) {
      return Expect(at, "the number of values in a region");
    }
    next_slot_ = values_.size();
    values_.resize(values_.size() + num_values, kNoValue);
    const size_t end_slot = values_.size();
    if (!at.Varint(&header)) return Expect(at, "the head of a block");
    region->has_block = true;
    if ((header & 1) && !ReadBlockArguments(at, region)) return false;
    // Functions number their values anew, so none may be left of a module to refer to.
    if (op.op == Op::kModule && !region->argument_types.empty()) {
      return Fail(BytecodeError(at.offset(), "the block of a module has arguments"));
    }
    const uint64_t num_ops = header >> 1;
    const size_t first = op_stack_.size();
    for (uint64_t i = 0; i < num_ops; ++i) {
      if (!ReadOperation(at, op.op, depth + 1)) return false;
    }
    // Room for values that never come would make many small regions much work.
    if (next_slot_ != end_slot) {
      return Fail(BytecodeError(at.offset(), "a region announces ", num_values, " values, but ",
                                end_slot - next_slot_, " of them are missing"));
    }
    region->operations =
        builder_.arena().Copy(std::span<const Operation>(op_stack_).subspan(first));
    op_stack_.resize(first);
    Status status = CheckBlock(op.op, *region);
    if (status.ok()) return true;
    return Fail(status.WithContext(StrCat("malformed ", Name(op.op), " (", ToString(op.location),
                                          ", byte ", at.offset(), ")")));
  }

  bool ReadBlockArguments(BytecodeCursor& at, Region* region) {
    uint64_t count;
    if (!at.Count(&count)) return Expect(at, "the number of block arguments");
    std::vector<TypeRef> types;
    std::vector<LocationRef> locations;
    for (uint64_t i = 0; i < count; ++i) {
      const size_t offset = at.offset();
      uint64_t index;
      bool has_location = true;
      if (sections_.version() >= 4 ? !at.FlaggedVarint(&index, &has_location)
                                   : !at.Varint(&index)) {
        return Expect(at, "the type of a block argument");
      }
      types.push_back(attributes_.GetType(index, offset));
      if (types.back() == nullptr) return false;
      locations.push_back(has_location ? attributes_.ReadLocation(at)
                                       : builder_.unknown_location());
      if (locations.back() == nullptr) return false;
      if (!DefineNew(at, types.back())) return false;
    }
    region->argument_types = builder_.arena().Copy(types);
    region->argument_locations = builder_.arena().Copy(locations);
    if (sections_.version() < 3) return true;
    uint8_t has_orders;
    if (!at.Byte(&has_orders)) return Expect(at, "the use-list flag of a block");
    return has_orders == 0 || SkipUseListOrders(at, count);
  }

  BytecodeSections& sections_;
  BytecodeAttributes& attributes_;
  ModuleBuilder& builder_;
  std::vector<OpKind> ops_;
  Status error_;

  // The file numbers values per isolated region, reusing the numbers of regions that have ended;
  // values_[scope_ + number] is our number of it.
  std::vector<ValueId> values_;
  size_t scope_ = 0;
  size_t next_slot_ = 0;
  ValueId next_value_ = 0;
  std::vector<TypeRef> value_types_;  // By our number.
  std::vector<uint32_t> num_values_;  // Of each function.

  std::vector<Operation> op_stack_;    // Ops of the blocks being read, outer ones first.
  std::vector<NamedAttribute> named_;  // Of the op being read; likewise the next two.
  std::vector<TypeRef> types_;
  std::vector<ValueId> operands_;
};

}  // namespace

Expected<Module> ReadBytecode(std::span<const std::byte> bytecode) {
  ModuleBuilder builder(bytecode.size());
  BytecodeSections sections(bytecode, builder);
  PLINTH_RETURN_IF_ERROR(sections.Read());
  return IrReader(sections, builder).Read();
}

}  // namespace plinth::program
