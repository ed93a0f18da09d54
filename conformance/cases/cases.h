// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_CASES_H_
#define PLINTH_CONFORMANCE_CASES_CASES_H_

#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/context.h"

// One function for each area; each is one row in cases.cc.
namespace plinth::conformance {

void AddTableCases(std::vector<Case>& cases);
void AddFunctionCases(std::vector<Case>& cases);
void AddFieldCases(std::vector<Case>& cases);
void AddOwnerCases(std::vector<Case>& cases);
void AddRareCases(std::vector<Case>& cases);
void AddSameAgainCases(std::vector<Case>& cases);
void AddSeveralDevicesCases(std::vector<Case>& cases);
void AddCollectiveCases(std::vector<Case>& cases);
void AddLaunchCases(std::vector<Case>& cases);
void AddDeviceAssignmentCases(std::vector<Case>& cases);
void AddDeviceCases(std::vector<Case>& cases);
void AddTransferCases(std::vector<Case>& cases);
void AddProgramCases(std::vector<Case>& cases);
void AddExecutableCases(std::vector<Case>& cases);
void AddEventCases(std::vector<Case>& cases);
void AddLifetimeCases(std::vector<Case>& cases);
void AddAsyncTransferCases(std::vector<Case>& cases);
void AddProcessCases(std::vector<Case>& cases);
void AddUploadSweepCases(std::vector<Case>& cases);
void AddMakerSweepCases(std::vector<Case>& cases);
void AddManagerSweepCases(std::vector<Case>& cases);
void AddLayoutSweepCases(std::vector<Case>& cases);
void AddTwoAtOnceCases(std::vector<Case>& cases);
void AddDeviceJudgeCases(std::vector<Case>& cases);
void AddTopologyJudgeCases(std::vector<Case>& cases);
void AddStatisticsJudgeCases(std::vector<Case>& cases);
void AddExecutableJudgeCases(std::vector<Case>& cases);
void AddDifferenceJudgeCases(std::vector<Case>& cases);
void AddExecutionSweepCases(std::vector<Case>& cases);
void AddProgramSweepCases(std::vector<Case>& cases);
void AddTwoClientCases(std::vector<Case>& cases);
void AddLayoutJudgeCases(std::vector<Case>& cases);
void AddFfiJudgeCases(std::vector<Case>& cases);
void AddPartitionerCases(std::vector<Case>& cases);
void AddOtherExtensionCases(std::vector<Case>& cases);
void AddEventOrderCases(std::vector<Case>& cases);
void AddBufferOrderCases(std::vector<Case>& cases);
void AddManagerOrderCases(std::vector<Case>& cases);
void AddCarriedErrorCases(std::vector<Case>& cases);
void AddFailureCases(std::vector<Case>& cases);
void AddRareTransferCases(std::vector<Case>& cases);
void AddSharedResultCases(std::vector<Case>& cases);
void AddLeakCases(std::vector<Case>& cases);
void AddUseCases(std::vector<Case>& cases);
void AddWalkCases(std::vector<Case>& cases);
void AddFlowWalkCases(std::vector<Case>& cases);
// After all others: of L1's cases.
void AddElsewhereCases(std::vector<Case>& cases);
void AddManyAliveCases(std::vector<Case>& cases);
void AddManyOfOneCases(std::vector<Case>& cases);
void AddAfterFailureCases(std::vector<Case>& cases);
void AddResultsOfTypesCases(std::vector<Case>& cases);
void AddThreadCases(std::vector<Case>& cases);
void AddEveryArrayCases(std::vector<Case>& cases);
void AddSameLoadedCases(std::vector<Case>& cases);
void AddAskedFirstCases(std::vector<Case>& cases);
void AddProgramVariantCases(std::vector<Case>& cases);
void AddStateCases(std::vector<Case>& cases);
void AddEndedCases(std::vector<Case>& cases);
void AddTwinCases(std::vector<Case>& cases);
void AddNamesakeCases(std::vector<Case>& cases);
void AddChainCases(std::vector<Case>& cases);
void AddRefusedRunCases(std::vector<Case>& cases);
void AddArgumentFormCases(std::vector<Case>& cases);
void AddMappedUploadCases(std::vector<Case>& cases);
void AddLargeSizeCases(std::vector<Case>& cases);
void AddOptionFieldCases(std::vector<Case>& cases);
void AddRunArgumentCases(std::vector<Case>& cases);
void AddWhilePendingCases(std::vector<Case>& cases);
void AddWithoutClientCases(std::vector<Case>& cases);
void AddOpCases(std::vector<Case>& cases);
void AddFrameworkProgramCases(std::vector<Case>& cases);
void AddFrameworkCompileCases(std::vector<Case>& cases);
void AddFrameworkExecuteCases(std::vector<Case>& cases);
void AddFrameworkStartCases(std::vector<Case>& cases);

// Names what the cases that judge check, and is said nowhere else.
void AddJudgedRequirements(std::vector<Case>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_CASES_H_
