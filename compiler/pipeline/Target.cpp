#include "compiler/pipeline/Target.h"

#include "tilewright/compiler_c.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>

namespace tilewright::compiler {

static const llvm::Target *lookUpTarget(const std::string &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
}

/// Fills in what follows from the processor and its features.
static CpuTarget described(std::string triple, std::string processor, std::string features) {
  CpuTarget target{std::move(triple), std::move(processor), std::move(features)};
  const llvm::Target *llvmTarget = lookUpTarget(target.triple);
  if (!llvmTarget)
    return CpuTarget{};
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      llvmTarget->createMCSubtargetInfo(llvm::Triple(target.triple), target.processor, target.features));
  if (!info || !info->isCPUStringValid(target.processor))
    return CpuTarget{};
  auto has = [&](llvm::StringRef feature) { return info->checkFeatures(("+" + feature).str()); };
  if (llvm::Triple(target.triple).isX86()) {
    target.vectorBits = has("avx512f") && has("avx512vl") ? 512 : has("avx2") && has("fma") ? 256 : 128;
    target.convertsF16 = has("f16c");
    target.fusesMultiplyAdd = has("fma");
    target.scalesByPowers = has("avx512f") && has("avx512vl");
#define TILEWRIGHT_FEATURE(name, leaf, subleaf, register, bit, saved)                                                          \
  if (has(name))                                                                                                               \
    target.extensions.push_back(name);
    TW_X86_FEATURES(TILEWRIGHT_FEATURE)
#undef TILEWRIGHT_FEATURE
  } else {
    target.convertsF16 = target.fusesMultiplyAdd = llvm::Triple(target.triple).isAArch64();
  }
  return target;
}

CpuTarget CpuTarget::host() {
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return described(llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(), features.getString());
}

CpuTarget CpuTarget::named(const std::string &processor) {
  if (processor.empty() || processor == "native")
    return host();
  return described(llvm::sys::getDefaultTargetTriple(), processor, "");
}

} // namespace tilewright::compiler
