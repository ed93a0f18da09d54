// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/topology_text.h"

#include <bit>
#include <charconv>
#include <limits>

namespace plinth::sdk::internal {
namespace {

constexpr std::string_view kHeader = "plinth topology 1\n";

void Put(std::string& out, int64_t number) { out.append(StrCat(number, ";")); }
void Put(std::string& out, std::string_view text) { out.append(StrCat(text.size(), ":", text)); }

void Put(std::string& out, const std::vector<NamedValue>& values) {
  Put(out, static_cast<int64_t>(values.size()));
  for (const NamedValue& named : values) {
    Put(out, named.name);
    Put(out, static_cast<int64_t>(named.value.index()));
    if (const auto* text = std::get_if<std::string>(&named.value)) {
      Put(out, *text);
    } else if (const auto* number = std::get_if<int64_t>(&named.value)) {
      Put(out, *number);
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&named.value)) {
      Put(out, static_cast<int64_t>(list->size()));
      for (int64_t element : *list) Put(out, element);
    } else if (const auto* real = std::get_if<float>(&named.value)) {
      Put(out, static_cast<int64_t>(std::bit_cast<uint32_t>(*real)));
    } else {
      Put(out, std::get<bool>(named.value) ? int64_t{1} : int64_t{0});
    }
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  int64_t Number() { return NumberBefore(';'); }
  int64_t NumberIn(int64_t min, int64_t max) {
    int64_t number = Number();
    return number < min || number > max ? Fail<int64_t>() : number;
  }
  int Int() {
    using Limits = std::numeric_limits<int>;
    return static_cast<int>(NumberIn(Limits::min(), Limits::max()));
  }
  std::string Text() {
    int64_t size = NumberBefore(':');
    if (failed_ || size < 0 || size > Left()) return Fail<std::string>();
    std::string text(bytes_.substr(at_, static_cast<size_t>(size)));
    at_ += static_cast<size_t>(size);
    return text;
  }
  // A count of things of at least one byte each, so that it cannot ask for more than there is.
  int64_t Count() {
    int64_t count = Number();
    return count < 0 || count > Left() ? Fail<int64_t>() : count;
  }
  std::vector<NamedValue> Values() {
    std::vector<NamedValue> values;
    for (int64_t n = Count(); n > 0 && !failed_; --n) {
      std::string name = Text();
      values.push_back({std::move(name), OneValue()});
    }
    return values;
  }
  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t at() const { return at_; }

 private:
  int64_t Left() const { return static_cast<int64_t>(bytes_.size() - at_); }
  template <typename T>
  T Fail() {
    failed_ = true;
    return T();
  }
  int64_t NumberBefore(char end) {
    int64_t number = 0;
    const char* last = bytes_.data() + bytes_.size();
    auto [stop, error] = std::from_chars(bytes_.data() + at_, last, number);
    if (failed_ || error != std::errc() || stop == last || *stop != end) return Fail<int64_t>();
    at_ = static_cast<size_t>(stop - bytes_.data()) + 1;
    return number;
  }
  Value OneValue() {
    switch (Number()) {
      case 0:
        return Text();
      case 1:
        return Number();
      case 2: {
        std::vector<int64_t> list;
        for (int64_t n = Count(); n > 0 && !failed_; --n) list.push_back(Number());
        return list;
      }
      case 3:
        return std::bit_cast<float>(
            static_cast<uint32_t>(NumberIn(0, std::numeric_limits<uint32_t>::max())));
      case 4:
        return NumberIn(0, 1) != 0;
      default:
        return Fail<Value>();
    }
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::string WriteTopology(const TopologyInfo& info) {
  std::string out(kHeader);
  Put(out, static_cast<int64_t>(info.devices.size()));
  for (const DeviceDescriptionInfo& device : info.devices) {
    Put(out, int64_t{device.id});
    Put(out, int64_t{device.process_index});
    Put(out, device.kind);
    Put(out, device.debug_string);
    Put(out, device.to_string);
    Put(out, device.attributes);
  }
  Put(out, info.attributes);
  Put(out, static_cast<int64_t>(info.memory_kind_ids.size()));
  for (int id : info.memory_kind_ids) Put(out, int64_t{id});
  return out;
}

Expected<TopologyInfo> ReadTopology(std::string_view bytes) {
  if (bytes.substr(0, kHeader.size()) != kHeader) {
    return InvalidArgument("the serialized topology does not begin with \"plinth topology 1\"");
  }
  Reader reader(bytes.substr(kHeader.size()));
  TopologyInfo info;
  for (int64_t n = reader.Count(); n > 0 && !reader.failed(); --n) {
    DeviceDescriptionInfo device;
    device.id = reader.Int();
    device.process_index = reader.Int();
    device.kind = reader.Text();
    device.debug_string = reader.Text();
    device.to_string = reader.Text();
    device.attributes = reader.Values();
    info.devices.push_back(std::move(device));
  }
  info.attributes = reader.Values();
  for (int64_t n = reader.Count(); n > 0 && !reader.failed(); --n) {
    info.memory_kind_ids.push_back(reader.Int());
  }
  if (reader.failed() || !reader.at_end()) {
    return InvalidArgument("the serialized topology is damaged at byte ",
                           kHeader.size() + reader.at());
  }
  return info;
}

}  // namespace plinth::sdk::internal
