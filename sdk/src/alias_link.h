// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_ALIAS_LINK_H_
#define PLINTH_SDK_SRC_ALIAS_LINK_H_

#include <memory>
#include <utility>

namespace plinth::sdk::internal {

// Where the contents of an alias buffer come from, once that is said: another alias buffer. Owned
// by the buffer, by the callback that fulfills it, and by what was fulfilled with it. Used with
// ClientCore::alias_mutex held, but for its end.
class AliasLink {
 public:
  AliasLink() = default;
  AliasLink(const AliasLink&) = delete;
  AliasLink& operator=(const AliasLink&) = delete;
  // A chain may be long, and ends link by link.
  ~AliasLink() {
    std::shared_ptr<AliasLink> link = std::move(source_);
    while (link != nullptr && link.use_count() == 1) link = std::move(link->source_);
  }

  // False, and nothing changes, if `source` waits for this buffer, or is it.
  bool SetSource(const std::shared_ptr<AliasLink>& source) {
    for (const AliasLink* link = source.get(); link != nullptr; link = link->source_.get()) {
      if (link == this) return false;
    }
    source_ = source;
    return true;
  }

 private:
  std::shared_ptr<AliasLink> source_;
};

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_ALIAS_LINK_H_
