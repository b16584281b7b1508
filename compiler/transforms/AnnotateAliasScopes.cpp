// annotate-alias-scopes: tells LLVM which buffers cannot overlap.
//
// A kernel's loops read views and scratch buffers and write one of them. LLVM's vectorizer can only prove that a store does not
// change what the loop loads if it knows that the two addresses lie in different buffers; otherwise it emits run-time overlap
// checks, or gives up. What makes them different is known by construction:
//  - a view that is written overlaps no other argument: the launch refuses the call otherwise (language §3.3);
//  - views that are only read may overlap each other, which no load can notice;
//  - scratch buffers with different offsets are disjoint while both live (allocate-scratch).
// So each access gets the scope of its *root*, the base its address is computed from, and is declared not to alias the scopes of
// all other roots. A root is an inttoptr (a view's address from the argument slots), a constant offset into the scratch argument,
// or a function argument. An access whose root is not found gets no annotation, which is always safe.

#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

namespace tilewright {

#define GEN_PASS_DEF_ANNOTATEALIASSCOPES
#include "compiler/transforms/Passes.h.inc"

namespace LLVM = mlir::LLVM;

namespace {

/// A base address: a value, and for scratch its constant byte offset (0 for other roots).
using Root = std::pair<mlir::Value, int64_t>;

/// The byte offset of `scratch[constant]`, the form that allocate-scratch leaves.
std::optional<int64_t> constantByteOffset(LLVM::GEPOp gep) {
  if (gep.getDynamicIndices().size() != 0 || gep.getRawConstantIndices().size() != 1 || !gep.getElemType().isInteger(8))
    return std::nullopt;
  return gep.getRawConstantIndices()[0];
}

/// Follows an address to what it is computed from.
std::optional<Root> findRoot(mlir::Value address) {
  while (true) {
    if (mlir::isa<mlir::BlockArgument>(address)) {
      auto argument = mlir::cast<mlir::BlockArgument>(address);
      if (!mlir::isa<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp()) || !argument.getOwner()->isEntryBlock())
        return std::nullopt;
      return Root{address, 0};
    }
    mlir::Operation *definition = address.getDefiningOp();
    if (mlir::isa<LLVM::IntToPtrOp, LLVM::AllocaOp>(definition))
      return Root{address, 0};
    auto gep = mlir::dyn_cast<LLVM::GEPOp>(definition);
    if (!gep)
      return std::nullopt;
    auto base = mlir::dyn_cast<mlir::BlockArgument>(gep.getBase());
    if (auto offset = constantByteOffset(gep); offset && base && base.getOwner()->isEntryBlock())
      return Root{base, *offset};
    address = gep.getBase();
  }
}

/// Two inttoptr of one slot are the same view: the roots of one address are merged.
mlir::Value canonicalBase(mlir::Value base, llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> &firstOfSlot) {
  auto intToPtr = base.getDefiningOp<LLVM::IntToPtrOp>();
  auto load = intToPtr ? intToPtr.getArg().getDefiningOp<LLVM::LoadOp>() : LLVM::LoadOp();
  if (!load)
    return base;
  mlir::Value slots = load.getAddr();
  int64_t slot = 0;
  if (auto gep = slots.getDefiningOp<LLVM::GEPOp>()) {
    if (gep.getDynamicIndices().size() != 0 || gep.getRawConstantIndices().size() != 1)
      return base;
    slot = gep.getRawConstantIndices()[0];
    slots = gep.getBase();
  }
  return firstOfSlot.try_emplace({slots, slot}, base).first->second;
}

struct AnnotateAliasScopes : impl::AnnotateAliasScopesBase<AnnotateAliasScopes> {
  void runOnOperation() override {
    getOperation().walk([&](LLVM::LLVMFuncOp function) { annotate(function); });
  }

  void annotate(LLVM::LLVMFuncOp function) {
    llvm::SmallVector<std::pair<mlir::Operation *, Root>> accesses;
    llvm::SetVector<Root> roots;
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> firstOfSlot;
    function.walk([&](LLVM::AliasAnalysisOpInterface access) {
      mlir::Value address = llvm::TypeSwitch<mlir::Operation *, mlir::Value>(access)
                                .Case<LLVM::LoadOp, LLVM::StoreOp>([](auto op) { return op.getAddr(); })
                                .Default([](mlir::Operation *) { return mlir::Value(); });
      std::optional<Root> root = address ? findRoot(address) : std::nullopt;
      if (!root)
        return;
      root->first = canonicalBase(root->first, firstOfSlot);
      roots.insert(*root);
      accesses.push_back({access, *root});
    });
    if (roots.size() < 2)
      return;

    mlir::Builder builder(&getContext());
    auto domain = LLVM::AliasScopeDomainAttr::get(&getContext(), builder.getStringAttr(function.getName()));
    llvm::SmallVector<mlir::Attribute> scopes;
    llvm::DenseMap<Root, size_t> position;
    for (const Root &root : roots) {
      position[root] = scopes.size();
      scopes.push_back(LLVM::AliasScopeAttr::get(domain, builder.getStringAttr("buffer" + std::to_string(scopes.size()))));
    }
    llvm::SmallVector<mlir::ArrayAttr> own, others;
    for (size_t index = 0; index < scopes.size(); ++index) {
      llvm::SmallVector<mlir::Attribute> rest(scopes);
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(index));
      own.push_back(builder.getArrayAttr(scopes[index]));
      others.push_back(builder.getArrayAttr(rest));
    }
    for (auto [access, root] : accesses) {
      auto interface = mlir::cast<LLVM::AliasAnalysisOpInterface>(access);
      interface.setAliasScopes(own[position[root]]);
      interface.setNoAliasScopes(others[position[root]]);
    }
  }
};

} // namespace
} // namespace tilewright
