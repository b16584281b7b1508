#include "compiler/pipeline/GpuTarget.h"

#include <string>

namespace tilewright::compiler {

// CUDA Programming Guide, "Technical Specifications per Compute Capability"; PTX ISA, the target notes of each instruction.
// clang-format off
static constexpr GpuTarget targets[] = {
  //                                  shared memory of a                                      f8
  // name     capability, PTX    block       multiprocessor  registers threads blocks  mma    cvt    stmatrix TMA    clusters wgmma  setmaxnreg redux
  {"sm_80",    80, false, 70,  163 * 1024,  164 * 1024,      65536,    2048,   32,     false, false, false,   false, false,   false, false,     false},
  {"sm_86",    86, false, 71,   99 * 1024,  100 * 1024,      65536,    1536,   16,     false, false, false,   false, false,   false, false,     false},
  {"sm_87",    87, false, 74,  163 * 1024,  164 * 1024,      65536,    1536,   16,     false, false, false,   false, false,   false, false,     false},
  {"sm_89",    89, false, 78,   99 * 1024,  100 * 1024,      65536,    1536,   24,     true,  true,  false,   false, false,   false, false,     false},
  {"sm_90a",   90, true,  80,  227 * 1024,  228 * 1024,      65536,    2048,   32,     true,  true,  true,    true,  true,    true,  true,      false},
  {"sm_100a", 100, true,  86,  227 * 1024,  228 * 1024,      65536,    2048,   32,     true,  true,  true,    true,  true,    false, true,      true},
  {"sm_120a", 120, true,  87,   99 * 1024,  100 * 1024,      65536,    1536,   24,     true,  true,  true,    true,  true,    false, true,      false},
};
// clang-format on

std::optional<GpuTarget> GpuTarget::named(std::string_view text) {
  for (const GpuTarget &target : targets)
    if (text == target.name || (target.isSpecific && std::string(text) + "a" == target.name))
      return target;
  return std::nullopt;
}

std::string GpuTarget::names() {
  std::string all;
  for (const GpuTarget &target : targets)
    all += (all.empty() ? "" : ", ") + std::string(target.name);
  return all;
}

} // namespace tilewright::compiler
