// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/cases.h"

#include <algorithm>
#include <string_view>

namespace plinth::conformance {

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (auto* add : {AddTableCases,
                    AddFunctionCases,
                    AddFieldCases,
                    AddDeviceCases,
                    AddOwnerCases,
                    AddSameAgainCases,
                    AddRareCases,
                    AddSeveralDevicesCases,
                    AddCollectiveCases,
                    AddLaunchCases,
                    AddDeviceAssignmentCases,
                    AddTransferCases,
                    AddProgramCases,
                    AddExecutableCases,
                    AddEventCases,
                    AddLifetimeCases,
                    AddAsyncTransferCases,
                    AddDeviceJudgeCases,
                    AddTopologyJudgeCases,
                    AddStatisticsJudgeCases,
                    AddUploadSweepCases,
                    AddMakerSweepCases,
                    AddManagerSweepCases,
                    AddLayoutSweepCases,
                    AddTwoAtOnceCases,
                    AddExecutableJudgeCases,
                    AddDifferenceJudgeCases,
                    AddExecutionSweepCases,
                    AddProgramSweepCases,
                    AddTwoClientCases,
                    AddLayoutJudgeCases,
                    AddFfiJudgeCases,
                    AddPartitionerCases,
                    AddOtherExtensionCases,
                    AddArgumentFormCases,
                    AddFailureCases,
                    AddCarriedErrorCases,
                    AddStateCases,
                    AddEndedCases,
                    AddTwinCases,
                    AddChainCases,
                    AddRefusedRunCases,
                    AddEventOrderCases,
                    AddBufferOrderCases,
                    AddManagerOrderCases,
                    AddRareTransferCases,
                    AddSharedResultCases,
                    AddLeakCases,
                    AddUseCases,
                    AddWalkCases,
                    AddFlowWalkCases,
                    AddManyAliveCases,
                    AddManyOfOneCases,
                    AddResultsOfTypesCases,
                    AddThreadCases,
                    AddEveryArrayCases,
                    AddAfterFailureCases,
                    AddSameLoadedCases,
                    AddAskedFirstCases,
                    AddProgramVariantCases,
                    AddNamesakeCases,
                    AddMappedUploadCases,
                    AddLargeSizeCases,
                    AddOptionFieldCases,
                    AddRunArgumentCases,
                    AddWhilePendingCases,
                    AddWithoutClientCases,
                    AddProcessCases,
                    AddFrameworkStartCases,
                    AddFrameworkCompileCases,
                    AddFrameworkExecuteCases,
                    AddFrameworkProgramCases,
                    AddOpCases}) {
    add(cases);
  }
  AddJudgedRequirements(cases);
  // What runner/watch.h looks at around every call.
  for (Case& item : cases) {
    bool is_rich = false;
    for (std::string_view area :
         {"L0/struct_size/", "L1/judge/", "L1/sweep/", "L1/form/", "L1/same_again/", "L1/owner/",
          "L1/client/", "L2/leak/", "L2/order/", "L2/event_order/", "L2/failure/"}) {
      is_rich |= item.name.starts_with(area);
    }
    if (!is_rich) continue;
    for (const char* id : {"PJRT-Args-accepted", "PJRT-Args-input", "PJRT-Args-output-set",
                           "PJRT-Args-output-failure", "PJRT-Args-output-handle",
                           "PJRT-Args-output-array", "PJRT-Args-output-enum", "PJRT-Strings-size",
                           "PJRT-Process-state", "PJRT-Error-code", "PJRT-Error-head"}) {
      if (std::find(item.requirements.begin(), item.requirements.end(), id) ==
          item.requirements.end())
        item.requirements.emplace_back(id);
    }
  }
  AddElsewhereCases(cases);  // of those before
  return cases;
}

}  // namespace plinth::conformance
