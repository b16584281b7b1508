// The texts of runtime/kernels/*.tile, which are part of the library.
#pragma once

#include <span>
#include <string_view>

namespace tilewright::runtime {

struct ReadyKernels {
  std::string_view file; ///< "linear.tile"
  std::string_view text;
};

std::span<const ReadyKernels> readyKernels();

} // namespace tilewright::runtime
