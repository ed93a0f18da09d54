// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/cases.h"

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
                    AddTransferCases,
                    AddProgramCases,
                    AddExecutableCases,
                    AddEventCases,
                    AddLifetimeCases,
                    AddAsyncTransferCases,
                    AddProcessCases,
                    AddFrameworkStartCases,
                    AddFrameworkCompileCases,
                    AddFrameworkExecuteCases,
                    AddFrameworkProgramCases,
                    AddOpCases}) {
    add(cases);
  }
  return cases;
}

}  // namespace plinth::conformance
