// What a kernel has to say it writes to the message buffer (compiler_c.h): an atomic addition reserves the words, and the
// record is written if it still fits.

#include "compiler/codegen/ConvertTileGPUToLLVMPlaces.h"

#include "compiler/analysis/SumPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace tilewright::gpu {

// --------------------------------------------------------------------------------------------------------------------
// Records
// --------------------------------------------------------------------------------------------------------------------

static constexpr int64_t headerWords = 2; ///< of the buffer: words used, and one that is not; of a record: message, values

static int64_t wordsOf(int64_t values) {
  return headerWords + values;
}

/// A value in the low bytes of a word.
static Value toWord(ImplicitLocOpBuilder &builder, Value value) {
  Type type = value.getType();
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, builder.getIntegerType(type.getIntOrFloatBitWidth()), value);
  return value.getType().isInteger(64) ? value : builder.createOrFold<arith::ExtUIOp>(builder.getI64Type(), value);
}

static Value messageBuffer(Emitter &emitter) {
  Type pointer = LLVM::LLVMPointerType::get(emitter.builder.getContext(), 1);
  return LLVM::IntToPtrOp::create(emitter.builder, pointer, emitter.loadSlot(Slot::MessageBuffer));
}

/// Reserves words; gives the number of those used before. Without a buffer nothing is, and nothing fits.
static Value reserve(Emitter &emitter, Value words) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value isThere =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, emitter.loadSlot(Slot::MessageBuffer), emitter.constant(0));
  auto branch =
      scf::IfOp::create(builder, TypeRange(builder.getI64Type()), isThere, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  Value used = LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::add, messageBuffer(emitter), words,
                                         LLVM::AtomicOrdering::monotonic, "device");
  scf::YieldOp::create(builder, used);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, emitter.constant(0));
  return branch.getResult(0);
}

/// Writes a record behind `used` words, if it fits.
static void writeRecord(Emitter &emitter, Value used, int64_t message, ValueRange values) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value first = emitter.add(used, emitter.constant(headerWords));
  Value end = emitter.add(first, emitter.constant(wordsOf(static_cast<int64_t>(values.size()))));
  Value fits = arith::CmpIOp::create(builder, arith::CmpIPredicate::sle, end, emitter.loadSlot(Slot::MessageWords));
  emitter.when(fits, [&] {
    Value address = emitter.advance(messageBuffer(emitter), emitter.mul(first, emitter.constant(8)));
    auto put = [&](Value word) {
      LLVM::StoreOp::create(builder, word, address, /*alignment=*/8);
      address = emitter.advance(address, 8);
    };
    put(emitter.constant(message));
    put(emitter.constant(static_cast<int64_t>(values.size())));
    for (Value value : values)
      put(toWord(builder, value));
  });
}

void emitReport(Emitter &emitter, int64_t message, ValueRange values) {
  Value words = emitter.constant(wordsOf(static_cast<int64_t>(values.size())));
  writeRecord(emitter, reserve(emitter, words), message, values);
}

// --------------------------------------------------------------------------------------------------------------------
// Elements of tiles
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// The places of a print or assert over spans, and the values there.
class ReportPlaces {
public:
  template <typename ReportOp>
  ReportPlaces(Emitter &emitter, ReportOp op)
      : emitter(emitter), spans(op.getSpans()), place(tilegpu::placeType(op, op.getSpans(), emitter.builder.getI64Type())),
        owner(speaksFor(emitter, place)) {
    for (Value value : op.getValues())
      values.push_back(partOf(value));
  }

  int64_t registers() { return layoutAttr(place).getValue().registers(); }

  /// For each register of the places what it holds of a value.
  Registers partOf(Value value) {
    Registers held = emitter.registers(value);
    return llvm::map_to_vector(emitter.registerMap(value.getType(), place), [&](int64_t number) { return held[number]; });
  }

  SmallVector<Value> valuesAt(int64_t number) {
    return llvm::map_to_vector(values, [&](const Registers &value) { return value[number]; });
  }

  /// Whether this thread speaks for a register's element, and it exists.
  Value speaks(int64_t number) { return emitter.logicalAnd(owner, emitter.existence(place, number, spans)); }

  /// The row-major number of an element in a tile of these lengths (i64 or i32, as the lengths are).
  Value numberOf(int64_t registerNumber, ValueRange lengths) {
    Value result;
    for (auto [dimension, length] : llvm::enumerate(lengths)) {
      Value coordinate = emitter.coordinate(layoutAttr(place), registerNumber, static_cast<unsigned>(dimension));
      if (length.getType().isInteger(64))
        coordinate = emitter.toI64(coordinate);
      result = result ? emitter.add(emitter.mul(result, length), coordinate) : coordinate;
    }
    return result;
  }

private:
  Emitter &emitter;
  ValueRange spans;
  Type place;
  Value owner;
  SmallVector<Registers> values;
};

} // namespace

static Value isThreadZero(Emitter &emitter) {
  return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::eq, emitter.thread(), emitter.constant32(0));
}

/// The values of a report without spans.
static SmallVector<Value> scalarsOf(Emitter &emitter, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return emitter.scalar(value); });
}

// --------------------------------------------------------------------------------------------------------------------
// print
// --------------------------------------------------------------------------------------------------------------------

/// One thread reserves the words of all elements; each element's owner writes its record at its number among those that exist.
static void printTile(Emitter &emitter, tile::PrintOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto message = static_cast<int64_t>(op.getMessage());
  Value words = emitter.constant(wordsOf(static_cast<int64_t>(op.getValues().size())));
  SmallVector<Value> lengths;
  Value all = words;
  for (Value span : op.getSpans()) {
    lengths.push_back(emitter.toI64(emitter.axis(span).length));
    all = emitter.mul(all, lengths.back());
  }
  Value shared = emitter.scratch(op);
  emitter.when(isThreadZero(emitter), [&] { LLVM::StoreOp::create(builder, reserve(emitter, all), shared, 8); });
  emitter.barrier();
  Value used = LLVM::LoadOp::create(builder, builder.getI64Type(), shared, 8);

  ReportPlaces places(emitter, op);
  for (int64_t number = 0; number < places.registers(); ++number)
    emitter.when(places.speaks(number), [&] {
      Value before = emitter.mul(places.numberOf(number, lengths), words);
      writeRecord(emitter, emitter.add(used, before), message, places.valuesAt(number));
    });
}

void emitPrint(Emitter &emitter, tile::PrintOp op) {
  if (!op.getSpans().empty())
    return printTile(emitter, op);
  emitter.when(isThreadZero(emitter),
               [&] { emitReport(emitter, static_cast<int64_t>(op.getMessage()), scalarsOf(emitter, op.getValues())); });
}

// --------------------------------------------------------------------------------------------------------------------
// assert
// --------------------------------------------------------------------------------------------------------------------

static Value negated(Emitter &emitter, Value condition) {
  return arith::XOrIOp::create(emitter.builder, condition, emitter.constant(emitter.builder.getBoolAttr(true)));
}

/// The threads agree on the first element where the condition is false, by its row-major number in the whole tile; its owner
/// reports it.
static void assertTile(Emitter &emitter, tile::AssertOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value none = emitter.constant32(std::numeric_limits<int32_t>::max());
  Value shared = emitter.scratch(op);
  emitter.when(isThreadZero(emitter), [&] { LLVM::StoreOp::create(builder, none, shared, 4); });

  ReportPlaces places(emitter, op);
  Registers condition = places.partOf(op.getCondition());
  SmallVector<Value> capacities, numbers; // of an element where the condition is false, else none
  for (Value span : op.getSpans())
    capacities.push_back(emitter.constant32(cast<tile::SpanType>(span.getType()).getCapacity()));
  Value mine = none;
  for (int64_t number = 0; number < places.registers(); ++number) {
    Value fails = emitter.logicalAnd(places.speaks(number), negated(emitter, condition[number]));
    numbers.push_back(arith::SelectOp::create(builder, fails, places.numberOf(number, capacities), none));
    mine = emitter.min(mine, numbers.back());
  }
  emitter.barrier();
  Value hasFailed = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, mine, none);
  emitter.when(hasFailed, [&] {
    LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::min, shared, mine, LLVM::AtomicOrdering::monotonic, "block");
  });
  emitter.barrier();
  Value first = LLVM::LoadOp::create(builder, builder.getI32Type(), shared, 4);
  Value anyFailed = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, first, none);
  emitter.when(anyFailed, [&] {
    for (int64_t number = 0; number < places.registers(); ++number)
      emitter.when(arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, numbers[number], first),
                   [&] { emitReport(emitter, static_cast<int64_t>(op.getMessage()), places.valuesAt(number)); });
    emitter.barrier(); // a tile's messages keep the order of the program
  });
}

void emitAssert(Emitter &emitter, tile::AssertOp op) {
  if (!emitter.kernel.getChecked())
    return;
  if (!op.getSpans().empty())
    return assertTile(emitter, op);
  Value fails = emitter.logicalAnd(isThreadZero(emitter), negated(emitter, emitter.scalar(op.getCondition())));
  emitter.when(fails, [&] { emitReport(emitter, static_cast<int64_t>(op.getMessage()), scalarsOf(emitter, op.getValues())); });
}

// --------------------------------------------------------------------------------------------------------------------
// What reports need
// --------------------------------------------------------------------------------------------------------------------

int64_t reportScratchBytes(Operation *op) {
  if (auto print = dyn_cast<tile::PrintOp>(op))
    return print.getSpans().empty() ? 0 : 8;
  if (auto check = dyn_cast<tile::AssertOp>(op))
    return op->getParentOfType<tile::KernelOp>().getChecked() && !check.getSpans().empty() ? 4 : 0;
  return 0;
}

int64_t messageWords(tile::KernelOp kernel, const SumPlan &sums) {
  int64_t most = 0;
  kernel.walk([&](tile::PrintOp op) {
    int64_t elements = 1;
    for (Value span : op.getSpans())
      elements *= cast<tile::SpanType>(span.getType()).getCapacity();
    most = std::max(most, elements * wordsOf(static_cast<int64_t>(op.getValues().size())));
  });
  if (kernel.getChecked())
    kernel.walk([&](tile::AssertOp op) { most = std::max(most, wordsOf(static_cast<int64_t>(op.getValues().size()))); });
  for (const Sum &sum : sums.partial)
    if (sum.countMessage)
      most = std::max(most, wordsOf(sum.getViewType().getRank() + 1));
  return most;
}

} // namespace tilewright::gpu
