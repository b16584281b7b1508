// The dialect's attributes and types, and what the other files ask of a type.
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "dialects/TileGPU/TileGPUEnums.cpp.inc"

namespace tilewright::tilegpu {

static constexpr int64_t defaultSplit = 1, defaultRaster = 8;

/// Fields that are printed only if they are not the defaults.
static mlir::ParseResult parseFieldsWithDefaults(mlir::AsmParser &parser, int64_t &split, int64_t &raster) {
  split = defaultSplit;
  raster = defaultRaster;
  while (mlir::succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc where = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name))
      return mlir::failure();
    if (name != "split" && name != "raster")
      return parser.emitError(where) << "expected `split` or `raster`, not `" << name << "`";
    if (parser.parseEqual() || parser.parseInteger(name == "split" ? split : raster))
      return mlir::failure();
  }
  return mlir::success();
}

static void printFieldsWithDefaults(mlir::AsmPrinter &printer, int64_t split, int64_t raster) {
  if (split != defaultSplit)
    printer << ", split = " << split;
  if (raster != defaultRaster)
    printer << ", raster = " << raster;
}

} // namespace tilewright::tilegpu

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TileGPU/TileGPUTypes.cpp.inc"

using namespace mlir;

namespace tilewright::tilegpu {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;
using layout::DistributedLayout;

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/TileGPU/TileGPUAttributes.cpp.inc"
      >();
}

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/TileGPU/TileGPUTypes.cpp.inc"
      >();
}

// --------------------------------------------------------------------------------------------------------------------
// Distributed layouts
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Bases, one after another, from and to a flat list of coordinates.
std::vector<DistributedLayout::Basis> split(ArrayRef<int64_t> flat, size_t rank) {
  std::vector<DistributedLayout::Basis> bases;
  for (; !flat.empty(); flat = flat.drop_front(rank))
    bases.emplace_back(flat.begin(), flat.begin() + rank);
  return bases;
}

SmallVector<int64_t> flatten(ArrayRef<DistributedLayout::Basis> bases) {
  SmallVector<int64_t> flat;
  for (const DistributedLayout::Basis &basis : bases)
    llvm::append_range(flat, basis);
  return flat;
}

std::optional<DistributedLayout> makeLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> registers, ArrayRef<int64_t> lanes,
                                            ArrayRef<int64_t> warps, std::string *why) {
  size_t rank = shape.size();
  if (rank == 0 || registers.size() % rank || lanes.size() % rank || warps.size() % rank) {
    *why = "each basis has a coordinate for each dimension";
    return std::nullopt;
  }
  DistributedLayout::Bases bases{split(registers, rank), split(lanes, rank), split(warps, rank)};
  return DistributedLayout::create(std::vector<int64_t>(shape.begin(), shape.end()), bases, why);
}

void printBases(AsmPrinter &printer, StringRef name, ArrayRef<int64_t> flat, size_t rank) {
  printer << ", " << name << " = [";
  llvm::interleaveComma(split(flat, rank), printer, [&](const DistributedLayout::Basis &basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer);
    printer << ']';
  });
  printer << ']';
}

ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

ParseResult parseBases(AsmParser &parser, StringRef name, SmallVectorImpl<int64_t> &flat) {
  if (parser.parseComma() || parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseNumbers(parser, flat); });
}

} // namespace

Attribute DistributedAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, registers, lanes, warps;
  if (parser.parseLess() || parseNumbers(parser, shape) || parseBases(parser, "registers", registers) ||
      parseBases(parser, "lanes", lanes) || parseBases(parser, "warps", warps) || parser.parseGreater())
    return {};
  return parser.getChecked<DistributedAttr>(parser.getContext(), shape, registers, lanes, warps);
}

void DistributedAttr::print(AsmPrinter &printer) const {
  size_t rank = getShape().size();
  printer << "<[";
  llvm::interleaveComma(getShape(), printer);
  printer << ']';
  printBases(printer, "registers", getRegisters(), rank);
  printBases(printer, "lanes", getLanes(), rank);
  printBases(printer, "warps", getWarps(), rank);
  printer << '>';
}

LogicalResult DistributedAttr::verify(EmitError emitError, ArrayRef<int64_t> shape, ArrayRef<int64_t> registers,
                                      ArrayRef<int64_t> lanes, ArrayRef<int64_t> warps) {
  // distributed_c1
  std::string why;
  if (makeLayout(shape, registers, lanes, warps, &why))
    return success();
  return emitError() << "the bases make no layout: " << why;
}

DistributedAttr DistributedAttr::get(MLIRContext *context, const DistributedLayout &layout) {
  DistributedLayout::Bases bases = layout.bases();
  return get(context, layout.shape(), flatten(bases.registers), flatten(bases.lanes), flatten(bases.warps));
}

DistributedLayout DistributedAttr::getValue() const {
  std::string why;
  return *makeLayout(getShape(), getRegisters(), getLanes(), getWarps(), &why);
}

// --------------------------------------------------------------------------------------------------------------------
// Buffers
// --------------------------------------------------------------------------------------------------------------------

LogicalResult BufferType::verify(EmitError emitError, RankedTensorType tile, int64_t contiguous, int64_t swizzle,
                                 int64_t stages) {
  // buffer_c1
  if (!tile::isTile(tile) || tile::layoutOf(tile))
    return emitError() << "a buffer is of a tile without a layout, not " << tile;
  // buffer_c2
  if (contiguous < 0 || contiguous >= tile.getRank() || (swizzle == 0 && contiguous != tile.getRank() - 1))
    return emitError() << "the contiguous dimension is " << (swizzle ? "one of the tile's" : "the last one") << ", not "
                       << contiguous;
  // buffer_c3
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "a swizzle is 0, 32, 64 or 128, not " << swizzle;
  int64_t elementBytes = std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8);
  if (swizzle && tile.getRank() != 2)
    return emitError() << "a swizzle needs two dimensions, not " << tile.getRank();
  if (swizzle && paddedExtent(tile.getDimSize(contiguous)) * elementBytes % swizzle)
    return emitError() << "the contiguous dimension has " << paddedExtent(tile.getDimSize(contiguous)) * elementBytes
                       << " bytes, which are not whole panels of " << swizzle;
  // buffer_c4
  if (stages < 1)
    return emitError() << "a buffer has at least one stage, not " << stages;
  return success();
}

SmallVector<int64_t> BufferType::getPaddedShape() const {
  return paddedShape(getTile());
}

int64_t BufferType::getElementBytes() const {
  return std::max<int64_t>(1, getTile().getElementTypeBitWidth() / 8);
}

int64_t BufferType::getStageBytes() const {
  int64_t elements = 1;
  for (int64_t extent : getPaddedShape())
    elements *= extent;
  return llvm::alignTo(elements * getElementBytes(), getAlignment());
}

// --------------------------------------------------------------------------------------------------------------------
// Barriers and schedules
// --------------------------------------------------------------------------------------------------------------------

LogicalResult MbarriersType::verify(EmitError emitError, int64_t count) {
  // mbarriers_c1
  if (count >= 1)
    return success();
  return emitError() << "there is one barrier at least, not " << count;
}

std::string whyNotRegisters(ArrayRef<int64_t> registers) {
  if (registers.size() != 2)
    return "registers are those of a thread of the feeding warpgroup and those of another's, not " + std::to_string(registers.size()) + " numbers";
  if (registers[0] == 0 && registers[1] == 0)
    return "";
  for (int64_t count : registers)
    if (count < 24 || count > 240 || count % 8 != 0)
      return "registers of a thread are 0 for all, or a multiple of 8 from 24 to 240, not " + std::to_string(count);
  return "";
}

std::string whyNotScheduleFields(int64_t groups, int64_t warps, int64_t stages, ArrayRef<int64_t> registers, int64_t split, int64_t raster) {
  // schedule_c1
  if (groups < 1 || groups > 2 || (warps != 4 && warps != 8))
    return "a schedule has one or two groups of 4 or 8 warps, not " + std::to_string(groups) + " of " + std::to_string(warps);
  // schedule_c2
  if (std::string why = whyNotRegisters(registers); !why.empty())
    return why;
  // setmaxnreg takes what others have given back, and waits for it for ever: roles share what the block began with.
  constexpr int64_t registersOfMultiprocessor = 65536, feedingThreads = 128;
  int64_t groupThreads = 32 * groups * warps, threads = groupThreads + feedingThreads;
  constexpr int64_t mostOfThread = 255;
  int64_t most = registersOfMultiprocessor / threads / 8 * 8;
  if (registers[1] != 0 && most >= mostOfThread)
    return "a block of " + std::to_string(threads) + " threads begins with " + std::to_string(mostOfThread) + " registers each, and none can have more";
  int64_t beginning = std::min(most, std::max(registers[0], registers[1]));
  if (int64_t all = feedingThreads * registers[0] + groupThreads * registers[1]; all > threads * beginning)
    return "its threads want " + std::to_string(all) + " registers, and a block of " + std::to_string(threads) + " threads begins with " +
           std::to_string(threads * beginning) + " (" + std::to_string(beginning) + " each)";
  // schedule_c3
  if (stages != 0 && (stages < 2 || stages > 16))
    return "stages are 0 (as many as fit) or 2 to 16, not " + std::to_string(stages);
  // schedule_c4
  if (split != 1 && split != 2 && split != 4 && split != 8)
    return "a tile is split over 1, 2, 4 or 8 blocks, not " + std::to_string(split);
  if (split > 1 && groups > 1)
    return "a tile that is split needs the ring's memory for its sums, so one group, and there are " + std::to_string(groups);
  // schedule_c5
  if (raster < 1 || raster > 64)
    return "tiles are taken in groups of 1 to 64 rows, not " + std::to_string(raster);
  return "";
}

LogicalResult ScheduleAttr::verify(EmitError emitError, int64_t groups, int64_t warps, int64_t stages, ArrayRef<int64_t> registers, bool, int64_t split, int64_t raster) {
  std::string why = whyNotScheduleFields(groups, warps, stages, registers, split, raster);
  return why.empty() ? success() : LogicalResult(emitError() << why);
}

// --------------------------------------------------------------------------------------------------------------------
// Questions about types
// --------------------------------------------------------------------------------------------------------------------

int64_t paddedExtent(int64_t extent) {
  auto next = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(extent)));
  if (extent <= 16 || next == extent)
    return next;
  if (extent <= 256 && extent % 16 == 0)
    return extent;
  return static_cast<int64_t>(llvm::alignTo(extent, std::max<int64_t>(16, next / 8)));
}

SmallVector<int64_t> paddedShape(Type tile) {
  return llvm::map_to_vector(cast<RankedTensorType>(tile).getShape(), paddedExtent);
}

DistributedLayout distributedLayout(Type tile) {
  return cast<DistributedAttr>(tile::layoutOf(tile)).getValue();
}

Type withLayout(Type tile, const DistributedLayout &layout) {
  return tile::withLayout(tile, DistributedAttr::get(tile.getContext(), layout));
}

Type placeType(Operation *op, ValueRange spans, Type element) {
  Type place = tile::tileType(element, llvm::map_to_vector(spans, [](Value span) { return cast<tile::SpanType>(span.getType()); }));
  return tile::isTile(place) ? tile::withLayout(place, op->getAttr(placeLayoutName)) : place;
}

int64_t warpsOf(tile::KernelOp kernel) {
  return kernel->getAttrOfType<IntegerAttr>(warpsName).getInt();
}

} // namespace tilewright::tilegpu
