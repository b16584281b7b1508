// A translation unit in CUDA C++, and the texts that it may include by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilewright::runtime::cuda {

struct CudaSource {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers; ///< name, text
};

} // namespace tilewright::runtime::cuda
