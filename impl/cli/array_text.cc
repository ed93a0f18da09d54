// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/array_text.h"

#include "impl/cli/element.h"

namespace plinth::cli {

using client::HostArray;

namespace {

constexpr int64_t kEdge = 3;
// Of a shortened array, which may have many dimensions.
constexpr int64_t kMaxShown = 1024;
constexpr int64_t kFirst = 8;

struct Printer {
  const HostArray& array;
  bool in_full;
  std::string out;
  int64_t shown = 0;

  // Writes dimension `axis` from element `at`, of `count` elements in all.
  void Print(size_t axis, int64_t at, int64_t count) {
    const auto& dims = array.dims();
    if (axis == dims.size()) {
      out += ElementText(array.type(), array.data() + at * ByteSize(array.type()));
      ++shown;
      return;
    }
    const int64_t extent = dims[axis];
    const int64_t inner = extent == 0 ? 0 : count / extent;
    const bool is_last = axis + 1 == dims.size();
    const bool is_short = !in_full && extent > 2 * kEdge + 1;
    out += '[';
    for (int64_t i = 0; i < extent; ++i) {
      if (i > 0) out += is_last ? ", " : ",\n" + std::string(axis + 1, ' ');
      if (!in_full && shown >= kMaxShown) {
        out += "...";
        break;
      }
      if (is_short && i == kEdge) {
        out += "...";
        i = extent - kEdge - 1;
        continue;
      }
      Print(axis + 1, at + i * inner, inner);
    }
    out += ']';
  }
};

Json ElementJson(const HostArray& array, int64_t index) {
  std::string text = ElementText(array.type(), array.data() + index * ByteSize(array.type()));
  // Read, and not made from the element's bits: 0.1 as f32 is to be 0.1, not 0.10000000149011612.
  if (Expected<Json> json = Json::Parse(text); json.ok()) return *std::move(json);
  return text;
}

Json ElementsJson(const HostArray& array, size_t axis, int64_t at, int64_t count) {
  if (axis == array.dims().size()) return ElementJson(array, at);
  const int64_t extent = array.dims()[axis];
  const int64_t inner = extent == 0 ? 0 : count / extent;
  Json::Array list;
  for (int64_t i = 0; i < extent; ++i) {
    list.push_back(ElementsJson(array, axis + 1, at + i * inner, inner));
  }
  return list;
}

}  // namespace

std::string ArrayText(const HostArray& array, bool in_full) {
  Printer printer{array, in_full || array.num_elements() <= kFullElements, {}};
  if (array.num_elements() == 0) {
    printer.out = "[]";  // However long its other dimensions are.
  } else {
    printer.Print(0, 0, array.num_elements());
  }
  const bool has_lines = printer.out.find('\n') != std::string::npos;
  return StrCat(client::ShapeToString(array.type(), array.dims()), has_lines ? "\n" : " ",
                printer.out);
}

Json::Object ArrayJson(const HostArray& array, bool in_full) {
  Json::Object result{{"type", Name(array.type())},
                      {"shape", Json::Array(array.dims().begin(), array.dims().end())}};
  const int64_t count = array.num_elements();
  if (in_full || count <= kFullElements) {
    result["data"] = count == 0 ? Json(Json::Array()) : ElementsJson(array, 0, 0, count);
  } else {
    Json::Array first;
    for (int64_t i = 0; i < kFirst; ++i) first.push_back(ElementJson(array, i));
    result["first"] = std::move(first);
  }
  return result;
}

}  // namespace plinth::cli
