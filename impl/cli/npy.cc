// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "impl/cli/element.h"
#include "impl/cli/literal.h"
#include "impl/cli/npy_header.h"
#include "impl/loader/descriptor.h"

namespace plinth::cli {

using client::HostArray;
using loader::Descriptor;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 1 << 20;
constexpr size_t kAlignment = 64;
static_assert(std::endian::native == std::endian::little, "npy files are written little-endian");

// What NumPy calls a type; types below without a name are written as raw bytes ("V").
constexpr struct {
  std::string_view kind_and_size;
  DType type;
} kTypes[] = {
    {"b1", DType::kPred}, {"i1", DType::kS8},    {"i2", DType::kS16}, {"i4", DType::kS32},
    {"i8", DType::kS64},  {"u1", DType::kU8},    {"u2", DType::kU16}, {"u4", DType::kU32},
    {"u8", DType::kU64},  {"f2", DType::kF16},   {"f4", DType::kF32}, {"f8", DType::kF64},
    {"c8", DType::kC64},  {"c16", DType::kC128},
};

std::string SystemMessage() { return std::strerror(errno); }

Status ReadAt(const Descriptor& file, void* to, size_t size, size_t offset) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = pread(file.get(), at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return InvalidArgument("cannot be read: ", SystemMessage());
    if (got == 0) return InvalidArgument("it ends early");
    at += got;
    offset += static_cast<size_t>(got);
    size -= static_cast<size_t>(got);
  }
  return {};
}

Status WriteAll(const Descriptor& file, const void* from, size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t put = write(file.get(), at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Internal("cannot be written: ", SystemMessage());
    at += put;
    size -= static_cast<size_t>(put);
  }
  return {};
}

// The type that a descr names, with its byte order.
Status ReadDescr(std::string_view descr, std::optional<DType> as, DType* type, bool* is_big) {
  *is_big = !descr.empty() && descr.front() == '>';
  std::string_view name = descr;
  if (!name.empty() && std::string_view("<>|=").find(name.front()) != std::string_view::npos) {
    name.remove_prefix(1);
  }
  for (const auto& row : kTypes) {
    if (row.kind_and_size == name) *type = row.type;
  }
  if (as) {
    const bool is_raw = !name.empty() && (name[0] == 'V' || name[0] == 'u' || name[0] == 'i');
    if (*type == *as) return {};
    if (!is_raw || name.substr(1) != StrCat(ByteSize(*as))) {
      return InvalidArgument("its elements are \"", descr, "\", which cannot be taken as ",
                             Name(*as), " of ", ByteSize(*as), " bytes");
    }
    *type = *as;
    return {};
  }
  if (*type != DType::kInvalid) return {};
  if (!name.empty() && name[0] == 'V') {
    return InvalidArgument("its elements are raw bytes (\"", descr,
                           "\"); say what they are, for example bf16@FILE");
  }
  return InvalidArgument("its elements are \"", descr, "\", which no program takes");
}

// Where the data begins, and the header.
Expected<NpyHeader> ReadHeader(const Descriptor& file, size_t file_size, size_t* data_offset) {
  unsigned char start[12];
  if (file_size < 10) return InvalidArgument("it is no npy file: only ", file_size, " bytes");
  PLINTH_RETURN_IF_ERROR(ReadAt(file, start, std::min<size_t>(file_size, sizeof(start)), 0));
  if (std::memcmp(start, kMagic.data(), kMagic.size()) != 0) {
    return InvalidArgument("it is no npy file: it does not begin with \\x93NUMPY");
  }
  const int major = start[6];
  if (major < 1 || major > 3) return InvalidArgument("npy version ", major, " is not known");
  size_t size = start[8] | start[9] << 8;
  size_t offset = 10;
  if (major > 1) {
    if (file_size < 12) return InvalidArgument("it ends within its header");
    size |= static_cast<size_t>(start[10]) << 16 | static_cast<size_t>(start[11]) << 24;
    offset = 12;
  }
  if (size > kMaxHeader) return InvalidArgument("a header of ", size, " bytes is too long");
  if (size > file_size - offset) return InvalidArgument("it ends within its header");
  std::string text(size, '\0');
  PLINTH_RETURN_IF_ERROR(ReadAt(file, text.data(), size, offset));
  *data_offset = offset + size;
  return ParseNpyHeader(text);
}

void SwapBytes(HostArray& array) {
  const bool is_complex = InfoOf(array.type()).kind == DTypeClass::kComplex;
  const size_t size = static_cast<size_t>(ByteSize(array.type())) / (is_complex ? 2 : 1);
  for (size_t at = 0; at + size <= array.byte_size(); at += size) {
    std::reverse(array.data() + at, array.data() + at + size);
  }
}

Expected<HostArray> ToRowMajor(HostArray array, const std::vector<int64_t>& dims) {
  PLINTH_ASSIGN_OR_RETURN(HostArray result, HostArray::Create(array.type(), dims));
  std::vector<int64_t> strides;
  int64_t stride = ByteSize(array.type());
  for (int64_t extent : dims) {
    strides.push_back(stride);
    stride *= extent;
  }
  PLINTH_RETURN_IF_ERROR(
      client::CopyStrided({array.data(), array.type(), dims, strides}, result.mutable_view()));
  return result;
}

Expected<HostArray> Read(const Descriptor& file, size_t file_size, std::optional<DType> as) {
  size_t offset = 0;
  PLINTH_ASSIGN_OR_RETURN(const NpyHeader header, ReadHeader(file, file_size, &offset));
  DType type = DType::kInvalid;
  bool is_big = false;
  PLINTH_RETURN_IF_ERROR(ReadDescr(header.descr, as, &type, &is_big));
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, client::HostByteSize(type, header.shape));
  if (static_cast<uint64_t>(bytes) != file_size - offset) {
    return InvalidArgument("its header says ", client::ShapeToString(type, header.shape), ", ",
                           bytes, " bytes, and ", file_size - offset, " follow");
  }
  PLINTH_ASSIGN_OR_RETURN(HostArray array, CreateBounded(type, header.shape));
  PLINTH_RETURN_IF_ERROR(ReadAt(file, array.data(), array.byte_size(), offset));
  if (is_big) SwapBytes(array);
  if (header.fortran_order && header.shape.size() > 1 && bytes != 0) {
    return ToRowMajor(std::move(array), header.shape);
  }
  return array;
}

std::string DescrOf(DType type) {
  for (const auto& row : kTypes) {
    if (row.type == type) return StrCat(ByteSize(type) == 1 ? "|" : "<", row.kind_and_size);
  }
  const DTypeClass kind = InfoOf(type).kind;
  if (kind == DTypeClass::kSigned) return "|i1";
  if (kind == DTypeClass::kUnsigned) return "|u1";
  return StrCat(ByteSize(type) == 1 ? "|V" : "<V", ByteSize(type));
}

// Where a file goes.
struct Target {
  std::string path;  // With no link in it.
  bool in_place = false;
};

// Only nothing and a regular file are replaced. A pipe or a device is written as it stands, and so
// is what a link names that is not there yet.
Expected<Target> FindTarget(const std::string& path) {
  struct stat info = {};
  const bool is_there = stat(path.c_str(), &info) == 0;
  if (is_there && !S_ISREG(info.st_mode)) return Target{path, true};
  if (!is_there) return Target{path, lstat(path.c_str(), &info) == 0};
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) {
    return InvalidArgument(path, ": cannot be written: ", SystemMessage());
  }
  return Target{resolved, false};
}

// Makes a file beside `path` under a name that nothing had; negative, with errno, if it cannot.
int CreateBeside(const std::string& path, std::string* name) {
  int file = -1;
  for (int i = 0; i < 100 && file < 0; ++i) {
    *name = StrCat(path, ".part", static_cast<int64_t>(getpid()), "-", i);
    file = open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  return file;
}

}  // namespace

Expected<HostArray> ReadNpy(const std::string& path, std::optional<DType> as) {
  // Not blocking: a pipe would be waited for.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return errno == ENOENT ? NotFound(path, ": no such file")
                           : InvalidArgument(path, ": ", SystemMessage());
  }
  struct stat info = {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return InvalidArgument(path, ": it is no regular file");
  }
  Expected<HostArray> array = Read(file, static_cast<size_t>(info.st_size), as);
  if (!array.ok()) return array.status().WithContext(path);
  return array;
}

Status WriteNpy(const std::string& path, const HostArray& array) {
  NpyHeader header;
  header.descr = DescrOf(array.type());
  header.shape = array.dims();
  std::string text = NpyHeaderText(header);
  size_t prefix = 10;
  if (text.size() + prefix + kAlignment > 0xffff) prefix = 12;
  // Data begins at a multiple of 64; the header ends with a newline.
  const size_t total = (prefix + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.append(total - prefix - text.size() - 1, ' ');
  text.push_back('\n');
  std::string start(kMagic);
  start.push_back(prefix == 10 ? 1 : 2);
  start.push_back(0);
  for (size_t i = 0; i < prefix - 8; ++i) {
    start.push_back(static_cast<char>(text.size() >> (8 * i)));
  }
  start += text;

  PLINTH_ASSIGN_OR_RETURN(const Target target, FindTarget(path));
  std::string temporary;
  Descriptor file(target.in_place ? open(path.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666)
                                  : CreateBeside(target.path, &temporary));
  if (file.get() < 0) return InvalidArgument(path, ": cannot be written: ", SystemMessage());
  Status status = WriteAll(file, start.data(), start.size());
  if (status.ok()) status = WriteAll(file, array.data(), array.byte_size());
  if (!file.Close() && status.ok()) status = Internal("cannot be written: ", SystemMessage());
  if (target.in_place) return status.WithContext(path);
  if (status.ok() && rename(temporary.c_str(), target.path.c_str()) != 0) {
    status = Internal("cannot be written: ", SystemMessage());
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status.WithContext(path);
}

}  // namespace plinth::cli
