// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/callback_works.h"

#include "conformance/cases/ask.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace callback_works {
namespace {

Expected<OwnedBuffer> UploadFour(Context& context) {
  return context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
}

Status UploadsAndDownloads(Context& context) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(context));
  return context.Download(buffer.get()).status();
}

Status CompilesAndRuns(Context& context) {
  if (!context.profile().reads_programs) return Status();
  PLINTH_ASSIGN_OR_RETURN(OwnedLoadedExecutable executable,
                          context.Compile(ProgramFor(context, "add_one")));
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(context));
  PJRT_Buffer* handles[] = {buffer.get()};
  PLINTH_ASSIGN_OR_RETURN(auto outputs, context.Execute(executable.get(), handles));
  return context.Download(outputs[0].get()).status();
}

Status MakesAndDeletes(Context& context) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer buffer, UploadFour(context));
  auto args = MakeArgs<PJRT_Buffer_Delete_Args>();
  args.buffer = buffer.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return buffer.Destroy();
}

Status AsksClient(Context& context) {
  return AddressableDevices(context).empty() ? Internal("the client has no devices") : Status();
}

}  // namespace
}  // namespace callback_works

std::vector<CallbackWork> CallbackWorks(Context& context) {
  using namespace callback_works;
  return {{"uploads and downloads", [&context] { return UploadsAndDownloads(context); }},
          {"compiles and runs", [&context] { return CompilesAndRuns(context); }},
          {"makes an array and deletes it", [&context] { return MakesAndDeletes(context); }},
          {"asks the client for its devices", [&context] { return AsksClient(context); }}};
}

}  // namespace plinth::conformance
