#include "compiler/codegen/PTXRequirements.h"

#include "compiler/pipeline/GpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace tilewright::compiler {

namespace {

/// "`k` (k.tile:3:5)"
std::string placeOf(const llvm::Instruction &instruction) {
  std::string place = "`" + instruction.getFunction()->getName().str() + "`";
  if (const llvm::DebugLoc &loc = instruction.getDebugLoc())
    place += " (" + loc->getFilename().str() + ":" + std::to_string(loc.getLine()) + ":" + std::to_string(loc.getCol()) + ")";
  return place;
}

// --------------------------------------------------------------------------------------------------------------------
// Hardware intrinsics
// --------------------------------------------------------------------------------------------------------------------

/// What an instruction needs, from the target notes of the PTX ISA.
struct Requirement {
  llvm::StringRef start;    ///< of an intrinsic's name after "llvm.nvvm."
  llvm::StringRef part;     ///< that the name has after `start`
  bool GpuTarget::*feature; ///< or null: capability 80 will do
  unsigned ptxVersion;
};

// The first line that fits decides.
constexpr Requirement requirements[] = {
    {"mma.m16n8k16", ".e4m3", &GpuTarget::multipliesF8, 87},
    {"mma.m16n8k16", ".e5m2", &GpuTarget::multipliesF8, 87},
    {"mma.", ".e4m3", &GpuTarget::multipliesF8, 84},
    {"mma.", ".e5m2", &GpuTarget::multipliesF8, 84},
    {"ff.to.e4m3x2", "", &GpuTarget::convertsF8, 81},
    {"ff.to.e5m2x2", "", &GpuTarget::convertsF8, 81},
    {"f16x2.to.e4m3x2", "", &GpuTarget::convertsF8, 81},
    {"f16x2.to.e5m2x2", "", &GpuTarget::convertsF8, 81},
    {"e4m3x2.to.f16x2", "", &GpuTarget::convertsF8, 81},
    {"e5m2x2.to.f16x2", "", &GpuTarget::convertsF8, 81},
    {"stmatrix.", "", &GpuTarget::storesMatrices, 78},
    {"cp.async.bulk.tensor.g2s.cta.", "", &GpuTarget::copiesTiles, 86},
    {"cp.async.bulk.global.to.shared.cta", "", &GpuTarget::copiesTiles, 86},
    {"cp.async.bulk.", "", &GpuTarget::copiesTiles, 80},
    {"fence.proxy.", "", &GpuTarget::copiesTiles, 80},
    {"prefetch.tensormap", "", &GpuTarget::copiesTiles, 80},
    {"mbarrier.try.wait", "", &GpuTarget::copiesTiles, 80},
    {"mbarrier.", "expect.tx", &GpuTarget::copiesTiles, 80},
    {"elect.sync", "", &GpuTarget::hasClusters, 80},
    {"barrier.cluster.", "", &GpuTarget::hasClusters, 80},
    {"mapa", "", &GpuTarget::hasClusters, 78},
    {"fence.mbarrier", "", &GpuTarget::hasClusters, 80},
    {"griddepcontrol.", "", &GpuTarget::hasClusters, 78},
    {"wgmma.", "", &GpuTarget::multipliesFromShared, 80},
    {"setmaxnreg.", "", &GpuTarget::movesRegistersBetweenWarps, 80},
    {"redux.sync.f", "", &GpuTarget::reducesFloats, 86},
};

const Requirement *requirementOf(llvm::StringRef name) {
  if (!name.consume_front("llvm.nvvm."))
    return nullptr;
  return llvm::find_if(requirements, [&](const Requirement &requirement) {
    return name.starts_with(requirement.start) && name.contains(requirement.part);
  });
}

/// Instructions that only inline assembly has.
const Requirement *requirementOfAssembly(llvm::StringRef text) {
  return llvm::find_if(requirements, [&](const Requirement &requirement) {
    return (requirement.start == "wgmma." || requirement.start == "setmaxnreg.") && text.contains(requirement.start);
  });
}

const Requirement *requirementOf(const llvm::CallBase &call) {
  const Requirement *found = nullptr;
  if (const auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    found = requirementOfAssembly(assembly->getAsmString());
  else if (call.getCalledFunction())
    found = requirementOf(call.getCalledFunction()->getName());
  return found == std::end(requirements) ? nullptr : found;
}

/// "llvm.nvvm.stmatrix…" or "wgmma.…"
std::string nameOf(const llvm::CallBase &call, const Requirement &requirement) {
  return call.getCalledFunction() ? call.getCalledFunction()->getName().str() : requirement.start.str() + "*";
}

} // namespace

std::optional<unsigned> requiredPTXVersion(const llvm::Module &module, const GpuTarget &target, std::string &error) {
  unsigned version = target.ptxVersion;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const Requirement *requirement = call ? requirementOf(*call) : nullptr;
      if (!requirement)
        continue;
      if (!(target.*requirement->feature)) {
        error = std::string(target.name) + " has no instruction for `" + nameOf(*call, *requirement) + "`, which " +
                placeOf(instruction) + " uses";
        return std::nullopt;
      }
      version = std::max(version, requirement->ptxVersion);
    }
  return version;
}

// --------------------------------------------------------------------------------------------------------------------
// What the code generator can select
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Intrinsics that become a few instructions on every type the compiler computes with.
constexpr llvm::StringRef selectable[] = {
    "llvm.abs.",        "llvm.assume",      "llvm.bitreverse.", "llvm.bswap.",
    "llvm.ceil.",       "llvm.copysign.",   "llvm.ctlz.",       "llvm.ctpop.",
    "llvm.cttz.",       "llvm.dbg.",        "llvm.expect.",     "llvm.experimental.noalias.",
    "llvm.fabs.",       "llvm.floor.",      "llvm.fma.",        "llvm.fmuladd.",
    "llvm.fptosi.sat.", "llvm.fptoui.sat.", "llvm.fshl.",       "llvm.fshr.",
    "llvm.invariant.",  "llvm.is.fpclass.", "llvm.lifetime.",   "llvm.maximum.",
    "llvm.maxnum.",     "llvm.memcpy.",     "llvm.memmove.",    "llvm.memset.",
    "llvm.minimum.",    "llvm.minnum.",     "llvm.nearbyint.",  "llvm.ptrmask.",
    "llvm.nvvm.",       "llvm.rint.",       "llvm.round.",      "llvm.roundeven.",
    "llvm.sadd.",       "llvm.scmp.",       "llvm.smax.",       "llvm.smin.",
    "llvm.smul.with.",  "llvm.sqrt.",       "llvm.ssub.",       "llvm.trap",
    "llvm.trunc.",      "llvm.uadd.",       "llvm.ucmp.",       "llvm.umax.",
    "llvm.umin.",       "llvm.umul.with.",  "llvm.usub.",       "llvm.vector.reduce.",
};

/// Those that are one approximate instruction on f32 where the call says `afn`, and nothing otherwise.
constexpr llvm::StringRef approximate[] = {"llvm.cos.f32", "llvm.exp2.f32", "llvm.sin.f32", "llvm.tanh.f32"};

bool isSelectableCall(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  if (call.isInlineAsm())
    return true;
  if (!callee) // through a pointer
    return false;
  llvm::StringRef name = callee->getName();
  if (!callee->isIntrinsic())
    return !callee->isDeclaration() || callee->hasFnAttribute(externalFunctionAttribute);
  if (llvm::is_contained(approximate, name))
    return llvm::cast<llvm::FPMathOperator>(call).hasApproxFunc();
  return llvm::any_of(selectable, [&](llvm::StringRef start) { return name.starts_with(start); });
}

} // namespace

bool isSelectable(const llvm::Module &module, std::string &error) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      if (instruction.getOpcode() == llvm::Instruction::FRem) {
        error = "`frem` in " + placeOf(instruction) + ": PTX has no remainder of floats; it must be expanded before LLVM";
        return false;
      }
      const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || isSelectableCall(*call))
        continue;
      const llvm::Function *callee = call->getCalledFunction();
      error = "the call of `" + (callee ? callee->getName().str() : "a pointer") + "` in " + placeOf(instruction) +
              " has no instruction in PTX, and there is no library to call; it must be expanded before LLVM";
      return false;
    }
  return true;
}

} // namespace tilewright::compiler
