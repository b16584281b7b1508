#include "runtime/ReadyKernels.h"

namespace tilewright::runtime {

static constexpr ReadyKernels files[] = {
#include "runtime/ReadyKernelTexts.inc"
};

std::span<const ReadyKernels> readyKernels() {
  return files;
}

} // namespace tilewright::runtime
