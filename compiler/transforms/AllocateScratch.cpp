// allocate-scratch: places the buffers of a tile in the thread's scratch memory.
//
// A kernel allocates nothing at run time: each thread is given one block of memory, and every memref.alloc of @tw_cpu_tiles
// gets a constant offset in it. A buffer lives from its allocation to the end of its last user, seen from the block in which it
// is allocated: a buffer made before a loop and used in it lives through the whole loop; buffers of two branches, or of two
// loops that follow each other, never live together and may share memory:
//
//   %a = alloc 4 KiB            slot 0: a, 4 KiB at 0
//   for { %b = alloc 2 KiB … }  slot 1: b and c, 2 KiB at 4096
//   for { %c = alloc 1 KiB … }
//
// Sharing is by *slots*: buffers that share memory start at the same offset. Packing them tighter would save some kilobytes,
// but annotate-alias-scopes tells LLVM that different constant offsets are different memory, and LLVM would then move a store
// to `c` over a load of `b` if they overlapped at different offsets. Slots are filled largest buffer first, so that a slot is
// as large as its first buffer.
//
// A buffer that leaves its block (yielded by an scf.if) lives on as the result. One that a loop carries to its next iteration
// would meet itself, since every iteration allocates at the same place: that is refused.

#include "compiler/transforms/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "allocate-scratch"

namespace tilewright {

#define GEN_PASS_DEF_ALLOCATESCRATCH
#include "compiler/transforms/Passes.h.inc"

namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {

constexpr int64_t alignment = 64;
constexpr llvm::StringLiteral tilesFunction = "tw_cpu_tiles";
constexpr llvm::StringLiteral bytesAttribute = "tilewright.scratch_bytes";

/// First and last moment, in the order of a walk over the function; a region's operations count between their parent's two.
struct Lifetime {
  int64_t first, last;
  bool meets(const Lifetime &other) const { return first <= other.last && other.first <= last; }
};

struct Buffer {
  memref::AllocOp alloc;
  int64_t bytes;
  Lifetime lifetime;
  int64_t slot = 0;
};

struct Slot {
  int64_t bytes, offset;
  llvm::SmallVector<Lifetime> taken;
};

/// When each operation begins and ends.
class Clock {
public:
  explicit Clock(mlir::Operation *root) { visit(root); }
  Lifetime of(mlir::Operation *op) const { return moments.lookup(op); }

private:
  void visit(mlir::Operation *op) {
    int64_t first = now++;
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Operation &nested : block)
          visit(&nested);
    moments[op] = {first, now++};
  }

  llvm::DenseMap<mlir::Operation *, Lifetime> moments;
  int64_t now = 0;
};

/// Finds where a buffer, under all its names, is used last.
class LifetimeFinder {
public:
  LifetimeFinder(const Clock &clock, memref::AllocOp alloc) : clock(clock), alloc(alloc), block(alloc->getBlock()) {}

  mlir::FailureOr<Lifetime> find() {
    last = clock.of(alloc).last;
    if (mlir::failed(follow(alloc.getResult())))
      return mlir::failure();
    return Lifetime{clock.of(alloc).first, last};
  }

private:
  mlir::LogicalResult follow(mlir::Value name) {
    for (mlir::OpOperand &use : name.getUses()) {
      if (mlir::failed(followUse(use)))
        return mlir::failure();
    }
    return mlir::success();
  }

  mlir::LogicalResult followUse(mlir::OpOperand &use) {
    mlir::Operation *user = use.getOwner();
    if (auto yield = mlir::dyn_cast<scf::YieldOp>(user))
      return followYield(yield, use.getOperandNumber());
    if (user->hasTrait<mlir::OpTrait::IsTerminator>())
      return alloc.emitError("a scratch buffer may leave its block by scf.yield only, found ") << user->getName();
    extendTo(user);
    if (auto loop = mlir::dyn_cast<mlir::LoopLikeOpInterface>(user)) {
      if (mlir::BlockArgument carried = loop.getTiedLoopRegionIterArg(&use))
        return mlir::failure(mlir::failed(follow(carried)) || mlir::failed(follow(loop.getTiedLoopResult(&use))));
    }
    if (mlir::isa<mlir::ViewLikeOpInterface, mlir::arith::SelectOp>(user))
      return follow(user->getResult(0));
    return mlir::success();
  }

  mlir::LogicalResult followYield(scf::YieldOp yield, unsigned position) {
    mlir::Operation *parent = yield->getParentOp();
    if (mlir::isa<scf::IfOp, scf::ExecuteRegionOp, scf::IndexSwitchOp>(parent)) {
      if (parent->isAncestor(alloc))
        block = parent->getBlock();
      extendTo(parent);
      return follow(parent->getResult(position));
    }
    if (parent->isProperAncestor(alloc))
      return alloc.emitError(
          "a buffer allocated in a loop is carried to the loop's next iteration, where it would meet itself");
    return mlir::success(); // the carried buffer itself, from outside: its results are followed from the loop's operand
  }

  void extendTo(mlir::Operation *user) {
    while (user->getBlock() != block && user->getParentOp())
      user = user->getParentOp();
    last = std::max(last, clock.of(user).last);
  }

  const Clock &clock;
  memref::AllocOp alloc;
  mlir::Block *block; ///< the outermost block that the buffer is known in
  int64_t last = 0;
};

mlir::FailureOr<int64_t> sizeInBytes(memref::AllocOp alloc) {
  mlir::MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return alloc.emitError("a scratch buffer needs a static shape and the identity layout, found ") << type;
  if (alloc.getAlignment().value_or(alignment) > uint64_t(alignment))
    return alloc.emitError("scratch is aligned to ") << alignment << " bytes, the buffer wants " << *alloc.getAlignment();
  if (!type.getElementType().isIntOrIndexOrFloat())
    return alloc.emitError("a scratch buffer holds integers or floats, found ") << type.getElementType();
  int64_t bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

mlir::FailureOr<llvm::SmallVector<Buffer>> collectBuffers(mlir::func::FuncOp function) {
  Clock clock(function);
  llvm::SmallVector<Buffer> buffers;
  mlir::WalkResult result = function.walk([&](memref::AllocOp alloc) {
    mlir::FailureOr<int64_t> bytes = sizeInBytes(alloc);
    if (mlir::failed(bytes))
      return mlir::WalkResult::interrupt();
    mlir::FailureOr<Lifetime> lifetime = LifetimeFinder(clock, alloc).find();
    if (mlir::failed(lifetime))
      return mlir::WalkResult::interrupt();
    buffers.push_back({alloc, *bytes, *lifetime});
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return mlir::failure();
  return buffers;
}

/// Largest first, each into the first slot that is free while it lives.
llvm::SmallVector<Slot> assignSlots(llvm::SmallVectorImpl<Buffer> &buffers) {
  llvm::SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](const Buffer *a, const Buffer *b) {
    return std::pair(-a->bytes, a->lifetime.first) < std::pair(-b->bytes, b->lifetime.first);
  });
  llvm::SmallVector<Slot> slots;
  int64_t end = 0;
  for (Buffer *buffer : order) {
    auto isFree = [&](const Slot &slot) {
      return llvm::none_of(slot.taken, [&](const Lifetime &other) { return other.meets(buffer->lifetime); });
    };
    auto *slot = llvm::find_if(slots, isFree);
    if (slot == slots.end()) {
      slots.push_back({buffer->bytes, end, {}});
      slot = &slots.back();
      end += llvm::alignTo(buffer->bytes, alignment);
    }
    slot->taken.push_back(buffer->lifetime);
    buffer->slot = slot - slots.begin();
  }
  return slots;
}

/// alloc -> scratch[offset] with a descriptor around it.
void replace(Buffer &buffer, int64_t offset, mlir::Value scratch, const mlir::LLVMTypeConverter &converter) {
  memref::AllocOp alloc = buffer.alloc;
  mlir::OpBuilder builder(alloc);
  mlir::Location loc = alloc.getLoc();
  mlir::Value address =
      LLVM::GEPOp::create(builder, loc, scratch.getType(), builder.getI8Type(), scratch,
                          llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)}, LLVM::GEPNoWrapFlags::inbounds);
  mlir::Value descriptor = mlir::MemRefDescriptor::fromStaticShape(builder, loc, converter, alloc.getType(), address);
  auto view = mlir::UnrealizedConversionCastOp::create(builder, loc, alloc.getType(), descriptor);
  for (mlir::Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    if (mlir::isa<memref::DeallocOp>(user))
      user->erase();
  }
  alloc.replaceAllUsesWith(view.getResult(0));
  alloc.erase();
}

struct AllocateScratch : impl::AllocateScratchBase<AllocateScratch> {
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    int64_t bytes = 0;
    if (auto function = module.lookupSymbol<mlir::func::FuncOp>(tilesFunction); function && !function.isExternal()) {
      mlir::FailureOr<int64_t> used = allocate(function);
      if (mlir::failed(used))
        return signalPassFailure();
      bytes = *used;
    }
    module->setAttr(bytesAttribute, mlir::Builder(&getContext()).getI64IntegerAttr(bytes));
  }

  mlir::FailureOr<int64_t> allocate(mlir::func::FuncOp function) {
    mlir::FailureOr<llvm::SmallVector<Buffer>> buffers = collectBuffers(function);
    if (mlir::failed(buffers))
      return mlir::failure();
    if (buffers->empty())
      return 0;
    unsigned arguments = function.getNumArguments();
    if (arguments == 0 || !mlir::isa<LLVM::LLVMPointerType>(function.getArgumentTypes().back()))
      return function.emitError("the last argument must be the scratch, an !llvm.ptr");
    mlir::Value scratch = function.getArgument(arguments - 1);
    llvm::SmallVector<Slot> slots = assignSlots(*buffers);
    int64_t end = slots.back().offset + llvm::alignTo(slots.back().bytes, alignment);
    if (!llvm::isInt<32>(end))
      return function.emitError("the buffers of a tile need ")
             << end << " bytes of scratch, more than 2 GiB (try smaller tiles)";
    mlir::LLVMTypeConverter converter(&getContext());
    for (Buffer &buffer : *buffers) {
      LDBG() << buffer.bytes << " bytes at " << slots[buffer.slot].offset << ": " << buffer.alloc;
      replace(buffer, slots[buffer.slot].offset, scratch, converter);
    }
    return end;
  }
};

} // namespace
} // namespace tilewright
