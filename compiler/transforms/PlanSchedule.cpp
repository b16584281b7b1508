// plan-schedule: which kernels get warps with roles, and which stores are made by tensor copies. ScheduleRules decides.

#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ScheduleRulesLoops.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLANSCHEDULE
#include "compiler/transforms/Passes.h.inc"

namespace {

struct PlanSchedule : impl::PlanScheduleBase<PlanSchedule> {
  using PlanScheduleBase::PlanScheduleBase;

  bool planLoops(tile::KernelOp kernel, const ScheduleRequest &request, tilegpu::NoSchedule &no) {
    std::optional<tilegpu::LoopFacts> facts = tilegpu::loopFacts(kernel, sharedBytes, request, no);
    if (!facts)
      return false;
    auto mark = UnitAttr::get(&getContext());
    kernel->setAttr(tilegpu::scheduleName, facts->schedule);
    kernel->setAttr(tilegpu::loopsName, StringAttr::get(&getContext(), facts->overlap));
    if (facts->growsAlongGrid)
      kernel->setAttr(tilegpu::longestFirstName, mark);
    for (tile::LoadOp load : facts->cleared)
      load->setAttr(tilegpu::clearedName, mark);
    for (tile::StoreOp store : facts->tensorStores)
      store->setAttr(tilegpu::tensorCopyName, mark);
    return true;
  }

  void runOnOperation() override {
    std::string why;
    std::optional<ScheduleRequest> request = ScheduleRequest::parse(schedule, why);
    if (!request) {
      getOperation().emitError() << why;
      return signalPassFailure();
    }
    for (tile::KernelOp kernel : getOperation().getOps<tile::KernelOp>()) {
      tilegpu::NoSchedule no{kernel.getLoc(), {}};
      std::optional<tilegpu::ScheduleFacts> facts;
      if (split > 1 && request->isEmpty()) {
        ScheduleRequest proposed = *request;
        proposed.split = split;
        facts = tilegpu::scheduleFacts(kernel, sharedBytes, proposed, no);
      }
      if (!facts)
        facts = tilegpu::scheduleFacts(kernel, sharedBytes, *request, no);
      if (facts && request->overlap) {
        facts.reset();
        no = {kernel.getLoc(), "`overlap` says when a loop with several products forms them, and it has one", true};
      }
      if (!facts && tilegpu::usesProductsInSteps(kernel)) {
        no = {kernel.getLoc(), {}};
        if (planLoops(kernel, *request, no))
          continue;
      }
      if (!facts) {
        if (!request->isEmpty() && !request->isPlain)
          getOperation()->setAttr(tilegpu::refusedScheduleName, StringAttr::get(&getContext(), no.why));
        if (no.isWorthTelling)
          emitRemark(no.where) << "this product is formed by mma.sync, not by wgmma: " << no.why;
        continue;
      }
      kernel->setAttr(tilegpu::scheduleName, facts->schedule);
      for (tile::StoreOp store : facts->tensorStores)
        store->setAttr(tilegpu::tensorCopyName, UnitAttr::get(&getContext()));
      for (tile::LoadOp load : facts->tensorLoads)
        load->setAttr(tilegpu::tensorCopyName, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
} // namespace tilewright
