// The dialect's attribute and types, and what the other files ask of a type.
#include "dialects/Tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include "dialects/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/TileAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/TileTypes.cpp.inc"

using namespace mlir;

namespace tilewright::tile {

namespace {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

constexpr size_t maximalRank = 5;

bool isPack(StringAttr dimension) {
  return dimension.getValue().ends_with("...");
}

LogicalResult verifyDimensions(EmitError emitError, ArrayAttr dims) {
  if (dims.empty() || dims.size() > maximalRank)
    return emitError() << "a view has 1 to " << maximalRank << " dimensions, not " << dims.size();
  for (Attribute dim : dims)
    if (!isa<StringAttr>(dim))
      return emitError() << "a dimension's name must be a string, not " << dim;
  auto packs = llvm::count_if(dims.getAsRange<StringAttr>(), isPack);
  if (packs > 1)
    return emitError() << "a view has at most one pack, not " << packs;
  return success();
}

} // namespace

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Tile/TileAttributes.cpp.inc"
      >();
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/TileTypes.cpp.inc"
      >();
}

// --------------------------------------------------------------------------------------------------------------------
// Axes
// --------------------------------------------------------------------------------------------------------------------

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  Attribute layout;
  auto parseElement = [&]() -> ParseResult {
    if (layout)
      return parser.emitError(parser.getCurrentLocation(), "expected '>' after the layout of a tile");
    if (succeeded(parser.parseOptionalKeyword("layout")))
      return failure(parser.parseEqual() || parser.parseAttribute(layout));
    std::string name;
    if (failed(parser.parseOptionalString(&name)))
      return parser.emitError(parser.getCurrentLocation(), "expected an axis in quotes, or layout = an attribute");
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseElement))
    return {};
  return parser.getChecked<AxesAttr>(parser.getContext(), names, layout);
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getNames(), printer);
  if (getLayout())
    printer << ", layout = " << getLayout();
  printer << '>';
}

// --------------------------------------------------------------------------------------------------------------------
// Verifiers
// --------------------------------------------------------------------------------------------------------------------

LogicalResult AxesAttr::verify(EmitError emitError, ArrayRef<StringAttr> names, Attribute) {
  // axes_c1
  if (names.empty())
    return emitError() << "a tile has at least one axis; without axes it is a scalar";
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (StringAttr name : names) {
    if (name.empty())
      return emitError() << "an axis needs a name";
    if (!seen.insert(name).second)
      return emitError() << "axis " << name << " occurs twice";
  }
  return success();
}

LogicalResult AxesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType, EmitError emitError) const {
  // axes_c2
  if (shape.size() != getNames().size())
    return emitError() << "a tile with " << getNames().size() << " axes has as many dimensions, not " << shape.size();
  for (auto [axis, extent] : llvm::zip(getNames(), shape)) {
    if (ShapedType::isDynamic(extent))
      return emitError() << "axis " << axis << " needs a static extent";
    if (extent < 1)
      return emitError() << "axis " << axis << " needs an extent of at least 1, not " << extent;
  }
  // axes_c3
  if (!isDType(elementType))
    return emitError() << "a tile cannot have elements of type " << elementType;
  return success();
}

LogicalResult SpanType::verify(EmitError emitError, StringAttr axis, int64_t capacity) {
  // span_c1
  if (axis.empty())
    return emitError() << "a span's axis needs a name";
  // span_c2
  if (capacity < 1)
    return emitError() << "a span needs a capacity of at least 1, not " << capacity;
  return success();
}

LogicalResult ViewType::verify(EmitError emitError, Type element, ArrayAttr dims, Access access, int64_t unitStride,
                               int64_t packRank, int64_t alignment) {
  // view_c1
  if (!isDType(element) || element.isInteger(1))
    return emitError() << "a view cannot have elements of type " << element
                       << (element.isInteger(1) ? " (bool is stored as i8)" : "");
  // view_c2
  if (failed(verifyDimensions(emitError, dims)))
    return failure();
  // view_c3
  if (unitStride < -1 || unitStride >= static_cast<int64_t>(dims.size()))
    return emitError() << "unit_stride is a dimension of " << dims.size() << " or -1, not " << unitStride;
  // view_c4
  bool hasPack = llvm::any_of(dims.getAsRange<StringAttr>(), isPack);
  if (packRank < 1 || packRank > static_cast<int64_t>(maximalRank) || (!hasPack && packRank != 1))
    return emitError() << "pack_rank is 1 to " << maximalRank << ", and 1 without a pack, not " << packRank;
  // view_c5
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitError() << "alignment is a power of two, not " << alignment;
  return success();
}

int64_t ViewType::getPackDimension() const {
  for (auto [position, dim] : llvm::enumerate(getDims().getAsRange<StringAttr>()))
    if (isPack(dim))
      return static_cast<int64_t>(position);
  return -1;
}

// --------------------------------------------------------------------------------------------------------------------
// Questions about types
// --------------------------------------------------------------------------------------------------------------------

bool isDType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(type);
}

bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<AxesAttr>(tensor.getEncoding());
}

bool isScalar(Type type) {
  return isDType(type);
}

bool isTileOrScalar(Type type) {
  return isTile(type) || isScalar(type);
}

bool isVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && isDType(vector.getElementType());
}

ArrayRef<StringAttr> axesOf(Type type) {
  if (!isTile(type))
    return {};
  return cast<AxesAttr>(cast<RankedTensorType>(type).getEncoding()).getNames();
}

int64_t positionOfAxis(Type type, StringAttr axis) {
  ArrayRef<StringAttr> axes = axesOf(type);
  auto found = llvm::find(axes, axis);
  return found == axes.end() ? -1 : found - axes.begin();
}

Type tileType(Type element, ArrayRef<SpanType> spans) {
  if (spans.empty())
    return element;
  SmallVector<int64_t> shape;
  SmallVector<StringAttr> names;
  for (SpanType span : spans) {
    shape.push_back(span.getCapacity());
    names.push_back(span.getAxis());
  }
  return RankedTensorType::get(shape, element, AxesAttr::get(element.getContext(), names));
}

Type withLayout(Type type, Attribute layout) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                                        AxesAttr::get(type.getContext(), axesOf(type), layout))
                : type;
}

Attribute layoutOf(Type type) {
  return isTile(type) ? cast<AxesAttr>(cast<RankedTensorType>(type).getEncoding()).getLayout() : Attribute();
}

Type withElement(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(element) : element;
}

Type withoutAxes(Type type, ArrayRef<StringAttr> axes) {
  SmallVector<int64_t> shape;
  SmallVector<StringAttr> names;
  for (auto [name, extent] : llvm::zip(axesOf(type), cast<RankedTensorType>(type).getShape())) {
    if (llvm::is_contained(axes, name))
      continue;
    shape.push_back(extent);
    names.push_back(name);
  }
  Type element = getElementTypeOrSelf(type);
  return names.empty() ? element : RankedTensorType::get(shape, element, AxesAttr::get(type.getContext(), names));
}

} // namespace tilewright::tile
