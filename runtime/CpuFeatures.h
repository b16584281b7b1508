// What the processor this runs on can do, asked without LLVM.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// Those of `features` (an artifact's list) that the processor lacks, or that nothing here knows. Code that uses them ends the
/// process by an illegal instruction.
std::vector<std::string> featuresAbsentHere(std::span<const std::string> features);

/// Equal on two machines only if code compiled for "cpu" on one is what would be compiled on the other: a part of cache keys,
/// since a cache may lie in a home folder that different machines share.
///
/// It is what the processor says of itself, raw: LLVM decides its name and features from the same words. (Not LLVM's answer,
/// because a process that finds its kernels in the cache does not load LLVM.)
std::string processorIdentity();

} // namespace tilewright::runtime
