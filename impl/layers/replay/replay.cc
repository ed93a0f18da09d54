// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/replay.h"

#include <utility>

#include "impl/layers/replay/capture_reader.h"
#include "impl/layers/replay/replayer.h"

namespace plinth::layers {
namespace {

using capture::RecordType;

constexpr size_t kMaxLostText = 200;

Status OnRecord(std::string_view payload, Replayer& replayer, BlobStore& blobs,
                ReplayReport& report) {
  capture::Reader reader(payload);
  auto type = static_cast<RecordType>(reader.Byte());
  switch (type) {
    case RecordType::kRun:
      report.captured_minor = static_cast<int>(reader.Varint());
      report.captured_plugin = reader.Text();
      break;
    case RecordType::kCall: {
      CapturedCall call;
      if (!DecodeCall(reader, blobs, call)) break;
      return replayer.OnCall(call);
    }
    case RecordType::kRead:
      return replayer.OnRead(reader);
    case RecordType::kOutput:
      return replayer.OnOutput(reader, blobs);
    case RecordType::kBlobPart: {
      uint64_t number = reader.Varint();
      return blobs.AddPart(number, reader.Raw(reader.remaining()));
    }
    case RecordType::kLost:
      replayer.Note(StrCat("the capture lost ", reader.Text().substr(0, kMaxLostText)));
      break;
    default:
      break;  // of a later version
  }
  if (reader.ok()) return Status();
  return Status(StatusCode::kDataLoss, "a record is broken");
}

Status Initialize(const PJRT_Api* api) {
  if (api == nullptr || api->struct_size < offsetof(PJRT_Api, PJRT_Event_Destroy)) {
    return InvalidArgument("the plugin's table is null or too short to make a client with");
  }
  auto initialize = MakeArgs<PJRT_Plugin_Initialize_Args>();
  Status status = ApiCalls(api)(initialize);
  return status.code() == StatusCode::kUnimplemented ? Status() : status;
}

}  // namespace

std::string ReplayDivergence::ToString() const {
  std::string text = StrCat("call ", call, ", ", function, ", ", output);
  if (!index.empty()) text += StrCat(", element [", StrJoin(index), "]");
  text += StrCat(": got ", got, ", wanted ", wanted);
  if (elements_different > 0) {
    text +=
        StrCat(" (", elements_different, " elements differ, by at most ", largest_difference, ")");
  }
  return text;
}

Status Replay(const ReplayOptions& options, const PJRT_Api* api, ReplayReport* report) {
  *report = ReplayReport();
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<CaptureReader> file, CaptureReader::Open(options.path));
  PLINTH_RETURN_IF_ERROR(Initialize(api));
  BlobStore blobs(options.memory_limit);
  Replayer replayer(options, api, *report);
  uint64_t shown = 0;
  while (!replayer.IsDone()) {
    PLINTH_ASSIGN_OR_RETURN(std::optional<std::string_view> record, file->Next());
    if (!record) {
      PLINTH_RETURN_IF_ERROR(replayer.OnEnd(file->truncated()));
      break;
    }
    Status status = OnRecord(*record, replayer, blobs, *report);
    if (!status.ok()) {
      return status.WithContext(StrCat("`", options.path, "`, call ", report->calls));
    }
    if (options.progress && file->position() != shown) {
      shown = file->position();
      options.progress(shown, file->size());
    }
  }
  report->truncated = file->truncated();
  return Status();
}

}  // namespace plinth::layers
