// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/code_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plinth::cpu::emit {
namespace {

constexpr int64_t kPageBytes = 4096;

}  // namespace

Code::~Code() {
  if (total_ != nullptr) *total_ -= bytes_;
}

std::shared_ptr<const Code> CodeCache::Get(std::span<const Piece> pieces, const Row* row) {
  if (target_ < math::SimdTarget::kAvx2 || !math::IsSupported(target_)) return nullptr;
  std::string key;
  for (const Piece& piece : pieces) AppendKey(piece, &key);
  if (row != nullptr) AppendKey(*row, &key);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = codes_.find(key); found != codes_.end()) {
      if (std::shared_ptr<const Code> code = found->second.lock()) return code;
    }
  }
  std::shared_ptr<const Code> code = Make(pieces, row);
  if (code == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  if (codes_.size() >= next_sweep_) {
    std::erase_if(codes_, [](const auto& entry) { return entry.second.expired(); });
    next_sweep_ = 2 * std::max<size_t>(codes_.size(), 32);
  }
  std::weak_ptr<const Code>& entry = codes_[std::move(key)];
  // Another thread may have been faster.
  if (std::shared_ptr<const Code> other = entry.lock()) return other;
  entry = code;
  return code;
}

std::shared_ptr<const Code> CodeCache::Make(std::span<const Piece> pieces, const Row* row) const {
  if (*total_ >= most_bytes_) return nullptr;
  std::shared_ptr<Code> code(new Code);
  std::vector<size_t> starts;
  try {
    Assembler assembler;
    ConstantPool pool;
    for (const Piece& piece : pieces) {
      starts.push_back(assembler.getSize());
      EmitPiece(piece, target_, assembler, pool);
    }
    if (row != nullptr) {
      starts.push_back(assembler.getSize());
      EmitRow(*row, target_, assembler, pool);
    }
    pool.Write(assembler);
    assembler.ready(Xbyak::CodeArray::PROTECT_RW);
    code->memory_ = CodeMemory::Make(assembler.getSize());
    if (code->memory_ == nullptr) return nullptr;
    std::memcpy(code->memory_->data(), assembler.getCode(), assembler.getSize());
    if (!code->memory_->Seal()) return nullptr;
    code->bytes_ =
        (static_cast<int64_t>(assembler.getSize()) + kPageBytes - 1) / kPageBytes * kPageBytes;
  } catch (const Xbyak::Error&) {
    return nullptr;
  }
  *total_ += code->bytes_;
  code->total_ = total_;
  // The row's is the last.
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint8_t* const address = code->memory_->data() + starts[i];
    static_assert(sizeof(PieceFunction) == sizeof(address) &&
                  sizeof(RowFunction) == sizeof(address));
    if (i < pieces.size()) {
      std::memcpy(&code->functions_.emplace_back(), &address, sizeof(address));
    } else {
      std::memcpy(&code->row_, &address, sizeof(address));
    }
  }
  return code;
}

}  // namespace plinth::cpu::emit
