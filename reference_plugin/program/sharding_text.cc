// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/sharding_text.h"

#include <charconv>

#include "plinth/support/str_cat.h"

namespace plinth::program {
namespace {

constexpr int kMaxTupleDepth = 8;
// Of a sharding's text, in a message.
constexpr size_t kMostShardingText = 120;

// Reads one text from its begin to its end. After a failure nothing more is read.
class ShardingTextReader {
 public:
  explicit ShardingTextReader(std::string_view text) : text_(text) {}

  Expected<OpSharding> Read() {
    OpSharding sharding;
    PLINTH_RETURN_IF_ERROR(ReadSharding(0, &sharding));
    SkipSpaces();
    if (at_ != text_.size()) return Wanted("the end");
    return sharding;
  }
  int64_t group() const { return group_; }

 private:
  Status Wanted(std::string_view what) const {
    return InvalidArgument("sharding \"", text_.substr(0, kMostShardingText), "\": at character ",
                           at_, ": expected ", what);
  }

  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  // A word or sign; words end where no letter follows.
  bool Accept(std::string_view word) {
    SkipSpaces();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  Status Take(std::string_view word) {
    return Accept(word) ? Status() : Wanted(StrCat("'", word, "'"));
  }
  Status TakeNumber(int64_t* number) {
    SkipSpaces();
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), *number);
    if (error != std::errc() || *number < 0) return Wanted("a number");
    at_ += static_cast<size_t>(end - first);
    return Status();
  }
  Status TakeNumbers(std::vector<int64_t>* numbers) {
    do {
      PLINTH_RETURN_IF_ERROR(TakeNumber(&numbers->emplace_back()));
    } while (Accept(","));
    return Status();
  }
  Status TakeList(std::string_view open, std::string_view close, std::vector<int64_t>* numbers) {
    PLINTH_RETURN_IF_ERROR(Take(open));
    PLINTH_RETURN_IF_ERROR(TakeNumbers(numbers));
    return Take(close);
  }

  Status ReadSharding(int depth, OpSharding* sharding) {
    if (depth > kMaxTupleDepth) {
      return Wanted(StrCat("tuples nested at most ", kMaxTupleDepth, " deep"));
    }
    PLINTH_RETURN_IF_ERROR(Take("{"));
    SkipSpaces();
    if (at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '}')) {
      sharding->kind = OpSharding::Kind::kTuple;
      if (Accept("}")) return Status();
      do {
        PLINTH_RETURN_IF_ERROR(ReadSharding(depth + 1, &sharding->elements.emplace_back()));
      } while (Accept(","));
      return Take("}");
    }
    PLINTH_RETURN_IF_ERROR(ReadKind(sharding));
    while (!Accept("}")) PLINTH_RETURN_IF_ERROR(ReadSuffix(sharding));
    return Status();
  }

  Status ReadKind(OpSharding* sharding) {
    using Kind = OpSharding::Kind;
    if (Accept("devices=")) {
      sharding->kind = Kind::kTiled;
      return ReadTiles(sharding);
    }
    if (Accept("maximal")) {
      sharding->kind = Kind::kMaximal;
      PLINTH_RETURN_IF_ERROR(Take("device="));
      return TakeNumber(&sharding->devices.emplace_back());
    }
    // Shard groups stand alone, or with the sharding that they have.
    if (AcceptGroup()) {
      sharding->kind = Kind::kUnknown;
      return TakeNumber(&group_);
    }
    if (ReadPlainKind(&sharding->kind)) return Status();
    return Wanted("devices=, replicated, manual, unreduced, maximal or unknown");
  }

  bool ReadPlainKind(OpSharding::Kind* kind) {
    if (Accept("replicated")) {
      *kind = OpSharding::Kind::kReplicated;
    } else if (Accept("manual")) {
      *kind = OpSharding::Kind::kManual;
    } else if (Accept("unreduced")) {
      *kind = OpSharding::Kind::kUnreduced;
    } else if (Accept("unknown")) {
      *kind = OpSharding::Kind::kUnknown;
    } else {
      return false;
    }
    return true;
  }

  Status ReadTiles(OpSharding* sharding) {
    PLINTH_RETURN_IF_ERROR(TakeList("[", "]", &sharding->tile_dimensions));
    if (!Accept("<=")) return TakeNumbers(&sharding->devices);
    PLINTH_RETURN_IF_ERROR(TakeList("[", "]", &sharding->iota_reshape_dims));
    if (Accept("T")) return TakeList("(", ")", &sharding->iota_transpose_perm);
    for (size_t i = 0; i < sharding->iota_reshape_dims.size(); ++i) {
      sharding->iota_transpose_perm.push_back(static_cast<int64_t>(i));
    }
    return Status();
  }

  Status ReadSuffix(OpSharding* sharding) {
    if (Accept("last_tile_dim_replicate")) {
      sharding->replicate_on_last_tile_dim = true;
      return Status();
    }
    if (Accept("last_tile_dims=")) {
      PLINTH_RETURN_IF_ERROR(Take("{"));
      do {
        if (!ReadPlainKind(&sharding->last_tile_dims.emplace_back())) {
          return Wanted("replicated, manual or unreduced");
        }
      } while (Accept(","));
      return Take("}");
    }
    if (Accept("metadata=")) return SkipBraces();
    if (AcceptGroup()) return TakeNumber(&group_);
    return Wanted("last_tile_dim_replicate, last_tile_dims= or '}'");
  }

  bool AcceptGroup() { return Accept("shard_as") || Accept("shard_like"); }
  Status SkipBraces() {
    PLINTH_RETURN_IF_ERROR(Take("{"));
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) return Wanted("'}'");
      depth += text_[at_] == '{' ? 1 : text_[at_] == '}' ? -1 : 0;
    }
    return Status();
  }

  std::string_view text_;
  size_t at_ = 0;
  int64_t group_ = kNoShardingGroup;
};

std::string_view PlainKindName(OpSharding::Kind kind) {
  switch (kind) {
    case OpSharding::Kind::kManual:
      return "manual";
    case OpSharding::Kind::kUnreduced:
      return "unreduced";
    case OpSharding::Kind::kUnknown:
      return "unknown";
    default:
      return "replicated";
  }
}

void AppendTiles(const OpSharding& sharding, std::string* out) {
  out->append(StrCat("devices=[", StrJoin(sharding.tile_dimensions, ","), "]"));
  if (sharding.iota_reshape_dims.empty()) {
    out->append(StrJoin(sharding.devices, ","));
  } else {
    out->append(StrCat("<=[", StrJoin(sharding.iota_reshape_dims, ","), "]"));
    if (!sharding.iota_transpose_perm.empty()) {
      out->append(StrCat("T(", StrJoin(sharding.iota_transpose_perm, ","), ")"));
    }
  }
  if (sharding.replicate_on_last_tile_dim) out->append(" last_tile_dim_replicate");
  for (size_t i = 0; i < sharding.last_tile_dims.size(); ++i) {
    out->append(i == 0 ? " last_tile_dims={" : ", ");
    out->append(PlainKindName(sharding.last_tile_dims[i]));
  }
  if (!sharding.last_tile_dims.empty()) out->push_back('}');
}

}  // namespace

std::string WriteShardingText(const OpSharding& sharding) {
  std::string out = "{";
  switch (sharding.kind) {
    case OpSharding::Kind::kTuple:
      for (size_t i = 0; i < sharding.elements.size(); ++i) {
        if (i > 0) out.append(", ");
        out.append(WriteShardingText(sharding.elements[i]));
      }
      break;
    case OpSharding::Kind::kMaximal:
      out.append(StrCat("maximal device=", sharding.devices.empty() ? 0 : sharding.devices[0]));
      break;
    case OpSharding::Kind::kTiled:
      AppendTiles(sharding, &out);
      break;
    default:
      out.append(PlainKindName(sharding.kind));
  }
  out.push_back('}');
  return out;
}

Expected<OpSharding> ReadShardingText(std::string_view text, int64_t* group) {
  ShardingTextReader reader(text);
  Expected<OpSharding> sharding = reader.Read();
  if (group != nullptr) *group = reader.group();
  return sharding;
}

}  // namespace plinth::program
