// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_REPORT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_REPORT_H_

#include <string>

namespace plinth::cuda::simulator {

// Writes one line about a mistake of the plugin to where Options::report says. Any thread.
void Report(const std::string& line);
void ReportTo(const std::string& file);

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_REPORT_H_
