// How the sizes are chosen. Each tunable has a *role*, read off the typed tree:
//
//   contracted   its axis is summed by a dot                      256: a panel of k steps, long enough to amortize a tile of acc
//   dot column   the axis of a product that is contiguous in the  256: sixteen AVX-512 vectors
//                stored result (or the second operand's free axis)
//   dot row      the other free axis of a product                 128: with 256 columns and 256 k steps the accumulator and both
//                                                                 panels fill half of a 1 MiB L2
//   contiguous   it indexes the last dimension of a view          4096 elements: long inner loops
//   other        everything else                                  what keeps a tile near 16384 elements (64 KiB of f32)
//
// On a GPU: 128 bytes of a summed axis (a row of the widest swizzle; 256 of f32 and f64), 128 columns and 128 rows (64 accumulators for each of 256 threads),
// 4096 contiguous elements and tiles of as many (16 for each thread; what does not fit in registers is slow, so no tile gets larger than
// 8192 elements, or 16384 beside products), and two blocks for each of some 132 multiprocessors.
//
// Where warps with roles form products, a model chooses one product's tile; of loops in which one product's columns are summed by the next
// (attention), 128 rows of one axis, and 128 columns, or 64 if they are summed with more than 128 others.
//
// Several axes on one side of a product (implicit convolution: p and q) share that side's size. Known extents cap a size: a
// tile larger than the dimension buys nothing, and the grid should have work for every core. No tile exceeds the language's limit
// on elements, whatever constant dimensions and repeated tunables it has, unless sizes that are given, `tune` or `require` make it.

#include "compiler/driver/ChooseTunables.h"

#include "compiler/driver/InstructionCount.h"
#include "compiler/frontend/ConstantFolding.h"
#include "compiler/frontend/Limits.h"
#include "compiler/frontend/Numbers.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <vector>

namespace tilewright::compiler {

using namespace frontend;
using typed::Axis;
using typed::Expr;
using typed::ExprKind;
using typed::Statement;

namespace {

enum class Role { Other, Contiguous, DotRow, DotColumn, Contracted };

std::optional<int64_t> evaluate(const Expr &expr, const typed::Kernel &kernel, const std::map<std::string, int64_t> &sizes);

/// Walks everything reachable from a kernel's statements.
class Visitor {
public:
  std::function<void(const Expr &)> onExpr;
  std::function<void(const Statement &)> onStatement;

  void block(const typed::Block &statements) {
    for (const Statement *statement : statements)
      visit(*statement);
  }

  void expression(const Expr *expr) {
    if (!expr)
      return;
    onExpr(*expr);
    for (const Expr *operand : expr->operands)
      expression(operand);
    expression(expr->otherwise);
    if (expr->callee && seen.insert(expr->callee).second) {
      block(expr->callee->body);
      for (const Expr *result : expr->callee->results)
        expression(result);
    }
  }

private:
  std::set<const typed::Function *> seen;

  void visit(const Statement &statement) {
    onStatement(statement);
    expression(statement.value);
    for (const Expr *index : statement.indices)
      expression(index);
    for (const typed::PrintPart &part : statement.parts)
      expression(part.value);
    block(statement.condition);
    block(statement.body);
    block(statement.elseBody);
  }
};

class Chooser {
public:
  Chooser(const typed::Kernel &kernel, const std::map<std::string, int64_t> &extents, const TunableSizes &target)
      : kernel(kernel), extents(extents), target(target) {
    collect();
    findRoles();
  }

  int64_t split = 1; ///< of the product's tile, as the model has it

  std::map<std::string, int64_t> choose() {
    for (const auto &tunable : kernel.tunables)
      if (tunable->value)
        sizes[tunable->name] = *tunable->value;
    chooseForRole(Role::Contracted, contractedSize());
    int64_t accumulators = std::max<int64_t>(1, static_cast<int64_t>(dots.size()));
    chooseForRole(Role::DotColumn, target.dotColumns / (accumulators > 2 ? 2 : 1));
    chooseForRole(Role::DotRow, target.dotRows / (accumulators > 1 ? 2 : 1));
    chooseProductTile();
    chooseLoopTile();
    chooseForRole(Role::Contiguous, target.contiguous);
    for (const auto &tunable : kernel.tunables)
      if (!sizes.count(tunable->name))
        sizes[tunable->name] = sizeOfOther(*tunable);
    for (const auto &tunable : kernel.tunables)
      if (!tunable->value && !isModelled)
        sizes[tunable->name] = limited(*tunable, sizes[tunable->name]);
    if (!isModelled)
      splitSmallGrid();
    for (const auto &tunable : kernel.tunables)
      if (!tunable->value)
        sizes[tunable->name] = nearestAllowed(*tunable, sizes[tunable->name]);
    fitTiles();
    return sizes;
  }

  /// Is no tile too large with these sizes?
  bool fits(const std::map<std::string, int64_t> &candidate) const { return !tooLarge(candidate, maxTileElements); }

private:
  const typed::Kernel &kernel;
  const std::map<std::string, int64_t> &extents;
  const TunableSizes &target;
  std::map<std::string, Role> roles;
  std::vector<const Expr *> dots;
  std::map<const typed::Symbol *, const Expr *> values; ///< of `let`s
  std::vector<std::vector<const Axis *>> tiles; ///< the axes of every tile there is
  std::map<std::string, int64_t> sizes;

  bool isModelled = false; ///< the model has chosen the product's tile
  bool storesParts = false; ///< a store drops what is outside of its view

  /// The only tunable with a role, if it is not given.
  const typed::Tunable *onlyOf(Role role) const {
    const typed::Tunable *only = nullptr;
    for (const auto &tunable : kernel.tunables) {
      auto known = roles.find(tunable->name);
      if (known == roles.end() || known->second != role)
        continue;
      if (only || tunable->value)
        return nullptr;
      only = tunable.get();
    }
    return only;
  }

  /// The number of indices that an axis goes over; 0: not known.
  int64_t extentOf(const Axis &axis) const {
    if (auto extent = extents.find(axis.dimension); !axis.dimension.empty() && extent != extents.end())
      return extent->second;
    std::optional<int64_t> low = axis.low ? evaluate(*axis.low, kernel, extents) : std::nullopt;
    std::optional<int64_t> high = axis.high ? evaluate(*axis.high, kernel, extents) : std::nullopt;
    return low && high ? std::max<int64_t>(0, *high - *low) : 0;
  }

  /// Of a tunable's axes the longest.
  int64_t extentOf(const typed::Tunable &tunable) const {
    int64_t longest = 0;
    for (const Axis &axis : kernel.axes)
      if (axis.tunable == tunable.name)
        longest = std::max(longest, extentOf(axis));
    return longest;
  }

  /// What a `let` stands for.
  const Expr *valueOf(const Expr *expr) const {
    while (expr->kind == ExprKind::Symbol) {
      auto known = values.find(expr->symbol);
      if (known == values.end())
        break;
      expr = known->second;
    }
    return expr;
  }

  bool isLoaded(const Expr *operand) const { return valueOf(operand)->kind == ExprKind::Load; }

  /// The tiles of two axes that an expression loads.
  int64_t tilesIn(const Expr *expr) const {
    std::set<const Expr *> seen;
    std::function<int64_t(const Expr *)> count = [&](const Expr *part) -> int64_t {
      part = valueOf(part);
      if (!seen.insert(part).second)
        return 0;
      if (part->kind == ExprKind::Load)
        return part->type.axes.size() == 2 ? 1 : 0;
      int64_t tiles = 0;
      for (const Expr *operand : part->operands)
        tiles += count(operand);
      return tiles;
    };
    return std::max<int64_t>(1, count(expr));
  }

  /// How many products the grid has beside the one of `rows` and `columns`.
  int64_t productsOfGrid(const typed::Tunable &rows, const typed::Tunable &columns) const {
    int64_t count = 1;
    for (const typed::GridLevel &level : kernel.grid)
      if (level.axis->tunable.empty() || (level.axis->tunable != rows.name && level.axis->tunable != columns.name))
        count *= std::max<int64_t>(1, extentOf(*level.axis));
    return count;
  }

  void chooseProductTile() {
    const typed::Tunable *rows = onlyOf(Role::DotRow), *columns = onlyOf(Role::DotColumn), *depth = nullptr;
    for (const auto &tunable : kernel.tunables)
      if (auto role = roles.find(tunable->name); role != roles.end() && role->second == Role::Contracted)
        depth = tunable.get();
    if (!target.productTile || dots.size() != 1 || !rows || !columns)
      return;
    // A step is 128 bytes of each row, of whatever elements, and takes as long.
    auto bytes = static_cast<int64_t>(std::max(byteWidth(dots[0]->operands[0]->type.dtype), byteWidth(dots[0]->operands[1]->type.dtype)));
    constexpr int64_t modelledBytes = 2;
    int64_t extentOfDepth = depth ? (extentOf(*depth) * bytes + modelledBytes - 1) / modelledBytes : 0;
    // Rows are those of the operand that is computed on the way, if one is.
    const Expr *left = dots.front()->operands[0], *right = dots.front()->operands[1];
    if (isLoaded(left) && !isLoaded(right)) {
      std::swap(rows, columns);
      std::swap(left, right);
    }
    ProductShape shape{extentOf(*rows), extentOf(*columns), extentOfDepth, productsOfGrid(*rows, *columns)};
    if (!isLoaded(left) && isLoaded(right)) {
      shape.computedOf = tilesIn(left);
      shape.computedInstructions = instructionsPerElement(*left, [&](const Expr *expr) { return valueOf(expr); });
    }
    // Contiguous columns are taken 128 bytes at a time.
    if (isLoaded(right) && !valueOf(right)->operands.back()->type.has(dots.front()->axes.front()))
      shape.columnMultiple = 64;
    shape.storesParts = storesParts;
    ProductTile tile = target.productTile(shape);
    // Each element of a sum of f8 takes two registers (ScheduleRules).
    constexpr int64_t mostColumnsOfF8 = 192;
    bool isF8 = isFloat(dots[0]->operands[0]->type.dtype) && bytes == 1;
    sizes[rows->name] = tile.rows;
    sizes[columns->name] = isF8 ? std::min(tile.columns, mostColumnsOfF8) : tile.columns;
    split = isF8 ? 1 : tile.split;
    // So few rows are bound by memory, which wants more of each row at a time: 16 rows of 14336 × 4096 bf16 took 42 µs by 128 steps, 65 µs by
    // 64 (one H200).
    constexpr int64_t fewRows = 64, longRows = 1024;
    int64_t extent = extentOf(*rows);
    if (shape.computedOf == 0 && extent > 0 && extent <= fewRows && depth && !depth->value && extentOf(*depth) >= longRows && !isF8)
      sizes[depth->name] *= 2;
    isModelled = true;
  }

  /// Of a product's columns that another product sums over (the keys of attention): which tunable cuts them; null: there are none.
  const typed::Tunable *stepsOfProducts() const {
    for (const auto &tunable : kernel.tunables) {
      auto isOf = [&](const Axis *axis) { return axis->tunable == tunable->name; };
      bool isSummed = std::any_of(dots.begin(), dots.end(), [&](const Expr *dot) { return std::any_of(dot->axes.begin(), dot->axes.end(), isOf); });
      bool isColumn = std::any_of(dots.begin(), dots.end(), [&](const Expr *dot) { return std::any_of(dot->type.axes.begin(), dot->type.axes.end(), isOf); });
      if (isSummed && isColumn)
        return tunable.get();
    }
    return nullptr;
  }

  /// Loops of several products, by warps with roles: 128 rows of one axis, and as many steps as leave room for two stages.
  void chooseLoopTile() {
    const typed::Tunable *steps = stepsOfProducts(), *rows = nullptr;
    bool isNarrow = std::all_of(dots.begin(), dots.end(), [](const Expr *dot) { return byteWidth(dot->operands[0]->type.dtype) == 2 && byteWidth(dot->operands[1]->type.dtype) == 2; });
    if (!target.productTile || !steps || !isNarrow)
      return;
    for (const auto &tunable : kernel.tunables)
      if (roles[tunable->name] == Role::DotRow)
        rows = tunable.get();
    constexpr int64_t fewRows = 64, manyRows = 128, wideSum = 128;
    if (!rows || (extentOf(*rows) > 0 && extentOf(*rows) < fewRows))
      return;
    for (const auto &tunable : kernel.tunables)
      if (roles[tunable->name] == Role::DotRow && !tunable->value)
        sizes[tunable->name] = tunable.get() == rows ? manyRows : 1;
    int64_t widest = 0;
    for (const Expr *dot : dots)
      for (const Expr *operand : dot->operands)
        for (const Axis *axis : operand->type.axes)
          if (axis->tunable.empty())
            widest = std::max(widest, axis->capacity.value_or(0));
    if (!steps->value)
      sizes[steps->name] = widest <= wideSum ? 128 : 64;
    isModelled = true;
  }

  int64_t contractedSize() const {
    if (target.contractedBytes == 0)
      return target.contractedElements;
    int64_t narrowest = 8;
    for (const Expr *dot : dots)
      for (const Expr *operand : {dot->operands[0], dot->operands[1]})
        narrowest = std::min<int64_t>(narrowest, byteWidth(operand->type.dtype));
    // Products of wide elements are formed by multiply-adds, which take longer and want fewer barriers: 43 TFLOP/s with 64 steps of
    // f32 at 4096³ on an H200, 38 with 32.
    bool isOfUnits = target.productTile && dots.size() == 1 && dots[0]->precision == typed::Precision::TF32;
    return target.contractedBytes * (narrowest >= 4 && !isOfUnits ? 2 : 1) / narrowest;
  }

  void raise(const Axis *axis, Role role) {
    if (!axis->tunable.empty() && roles[axis->tunable] < role)
      roles[axis->tunable] = role;
  }

  void collect() {
    Visitor visitor;
    visitor.onExpr = [&](const Expr &expr) {
      if (expr.type.axes.size() > 0)
        tiles.push_back(expr.type.axes);
      if (expr.kind == ExprKind::Dot)
        dots.push_back(&expr);
      if (expr.kind == ExprKind::Load && !expr.operands.empty())
        for (const Axis *axis : expr.operands.back()->type.axes)
          raise(axis, Role::Contiguous);
    };
    visitor.onStatement = [&](const Statement &statement) {
      for (const typed::Symbol *symbol : statement.symbols)
        tiles.push_back(symbol->type.axes);
      if (statement.kind == typed::StatementKind::Let && statement.symbols.size() == 1)
        values[statement.symbols.front()] = statement.value;
      storesParts |= statement.kind == typed::StatementKind::Store && statement.dropOutside;
      if (statement.kind == typed::StatementKind::Store && !statement.indices.empty()) {
        tiles.push_back(statement.placeAxes);
        for (const Axis *axis : statement.indices.back()->type.axes)
          raise(axis, Role::Contiguous);
      }
    };
    visitor.block(kernel.body);
  }

  void findRoles() {
    for (const Expr *dot : dots) {
      for (const Axis *axis : dot->axes)
        raise(axis, Role::Contracted);
      const typed::TileType &left = dot->operands[0]->type, &right = dot->operands[1]->type;
      for (const Axis *axis : dot->type.axes) {
        if (left.has(axis) && right.has(axis))
          continue; // a batch axis
        raise(axis, right.has(axis) ? Role::DotColumn : Role::DotRow);
      }
    }
  }

  /// Shares a side's size, a power of two, among its tunables: the last, which is the innermost, gets the largest part.
  void chooseForRole(Role role, int64_t size) {
    std::vector<std::string> sharing;
    for (const auto &tunable : kernel.tunables)
      if (roles[tunable->name] == role) {
        if (tunable->value)
          size = std::max<int64_t>(1, size / std::max<int64_t>(1, *tunable->value));
        else
          sharing.push_back(tunable->name);
      }
    int bits = std::bit_width(static_cast<uint64_t>(size)) - 1;
    for (; !sharing.empty(); sharing.pop_back()) {
      int count = static_cast<int>(sharing.size()), part = (bits + count - 1) / count;
      sizes[sharing.back()] = int64_t(1) << part;
      bits -= part;
    }
  }

  static std::optional<int64_t> capacity(const Axis *axis, const std::map<std::string, int64_t> &sizes) {
    if (axis->capacity)
      return axis->capacity;
    auto size = sizes.find(axis->tunable);
    return size == sizes.end() ? std::nullopt : std::optional<int64_t>(size->second);
  }

  static int64_t elements(const std::vector<const Axis *> &axes, const std::map<std::string, int64_t> &sizes) {
    int64_t product = 1;
    for (const Axis *axis : axes) {
      int64_t size = std::min(std::max<int64_t>(1, capacity(axis, sizes).value_or(1)), int64_t(1) << 20);
      product = std::min(product * size, int64_t(1) << 40);
    }
    return product;
  }

  const std::vector<const Axis *> *tooLarge(const std::map<std::string, int64_t> &candidate, int64_t limit) const {
    auto tile = std::find_if(tiles.begin(), tiles.end(), [&](const auto &axes) { return elements(axes, candidate) > limit; });
    return tile == tiles.end() ? nullptr : &*tile;
  }

  /// Shortens the longest axis of a tile that is too large until none is, or what is left was not chosen here.
  void fitTiles() {
    int64_t limit = dots.empty() ? target.mostElements : target.mostElementsWithDots;
    while (const std::vector<const Axis *> *axes = tooLarge(sizes, limit)) {
      const typed::Tunable *longest = nullptr;
      for (const auto &tunable : kernel.tunables) {
        bool has = std::any_of(axes->begin(), axes->end(), [&](const Axis *axis) { return axis->tunable == tunable->name; });
        if (has && !tunable->value && nextSmaller(*tunable) && (!longest || sizes[tunable->name] > sizes[longest->name]))
          longest = tunable.get();
      }
      if (!longest)
        return;
      sizes[longest->name] = *nextSmaller(*longest);
    }
  }

  std::optional<int64_t> nextSmaller(const typed::Tunable &tunable) const {
    int64_t size = sizes.at(tunable.name), smaller = tunable.allowed.empty() ? size / 2 : 0;
    for (int64_t allowed : tunable.allowed)
      if (allowed < size)
        smaller = std::max(smaller, allowed);
    return smaller > 0 ? std::optional<int64_t>(smaller) : std::nullopt;
  }

  /// The largest power of two with which no tile that has this tunable exceeds the wanted number of elements.
  int64_t sizeOfOther(const typed::Tunable &tunable) const {
    int64_t largest = 1;
    for (const auto &axes : tiles) {
      bool has = std::any_of(axes.begin(), axes.end(), [&](const Axis *axis) { return axis->tunable == tunable.name; });
      if (has)
        largest = std::max(largest, elements(axes, sizes));
    }
    int64_t size = 64;
    while (size > 1 && size * largest > target.tileElements)
      size /= 2;
    return size;
  }

  /// Not more than the dimension (rounded up to vectors) that its axes run over.
  int64_t limited(const typed::Tunable &tunable, int64_t size) const {
    int64_t longest = 0;
    for (const Axis &axis : kernel.axes) {
      if (axis.tunable != tunable.name)
        continue;
      auto extent = extents.find(axis.dimension);
      if (axis.dimension.empty() || extent == extents.end())
        return size;
      longest = std::max(longest, extent->second);
    }
    int64_t rounded = longest <= 16 ? std::max<int64_t>(1, longest) : (longest + 15) / 16 * 16;
    return std::min(size, rounded);
  }

  std::optional<int64_t> gridTiles() const {
    int64_t product = 1;
    for (const typed::GridLevel &level : kernel.grid) {
      auto extent = extents.find(level.axis->dimension);
      if (level.axis->dimension.empty() || extent == extents.end())
        return std::nullopt;
      int64_t size = level.axis->isSpan ? capacity(level.axis, sizes).value_or(1) : 1;
      product *= (extent->second + size - 1) / std::max<int64_t>(1, size);
    }
    return product;
  }

  /// Halves grid sizes while there are fewer tiles than cores could share and the pieces stay worthwhile.
  void splitSmallGrid() {
    for (bool changed = true; changed;) {
      changed = false;
      auto tilesNow = gridTiles();
      if (!tilesNow || *tilesNow >= target.tiles)
        return;
      int64_t *largest = nullptr;
      for (const typed::GridLevel &level : kernel.grid) {
        const std::string &name = level.axis->tunable;
        if (name.empty() || isGiven(name))
          continue;
        int64_t least = roles[name] == Role::DotColumn ? 64 : roles[name] == Role::DotRow ? 32 : 256;
        if (sizes[name] >= 2 * least && (!largest || sizes[name] > *largest))
          largest = &sizes[name];
      }
      if (largest) {
        *largest = (*largest + 1) / 2;
        changed = true;
      }
    }
  }

  bool isGiven(const std::string &name) const {
    return std::any_of(kernel.tunables.begin(), kernel.tunables.end(),
                       [&](const auto &tunable) { return tunable->name == name && tunable->value; });
  }

  static int64_t nearestAllowed(const typed::Tunable &tunable, int64_t size) {
    if (tunable.allowed.empty())
      return size;
    return *std::min_element(tunable.allowed.begin(), tunable.allowed.end(), [&](int64_t left, int64_t right) {
      return std::abs(left - size) < std::abs(right - size);
    });
  }
};

/// Exact evaluation of a requirement on constants and tunables; nothing if it needs a dimension or a scalar. Integers wrap and
/// x / 0 is 0, as on every target.
std::optional<int64_t> evaluate(const Expr &expr, const typed::Kernel &kernel, const std::map<std::string, int64_t> &sizes) {
  std::vector<Expr> operands;
  for (const Expr *operand : expr.operands) {
    auto value = evaluate(*operand, kernel, sizes);
    if (!value)
      return std::nullopt;
    Expr &constant = operands.emplace_back(Expr{ExprKind::Constant, operand->type, operand->where, {}});
    constant.integer = *value;
  }
  switch (expr.kind) {
  case ExprKind::Constant:
    return isFloat(expr.type.dtype) ? std::nullopt : std::optional<int64_t>(expr.integer);
  case ExprKind::Dimension: {
    if (auto size = sizes.find(expr.name); size != sizes.end())
      return size->second;
    auto constant = kernel.constants.find(expr.name);
    return constant == kernel.constants.end() ? std::nullopt : std::optional<int64_t>(constant->second);
  }
  case ExprKind::Cast:
    return isInteger(expr.type.dtype) ? std::optional<int64_t>(wrapInteger(operands[0].integer, expr.type.dtype)) : std::nullopt;
  case ExprKind::Elementwise:
    break;
  default:
    return std::nullopt;
  }
  if (expr.op == typed::Op::Select)
    return operands[0].integer ? operands[1].integer : operands[2].integer;
  std::vector<const Expr *> pointers;
  for (const Expr &operand : operands)
    pointers.push_back(&operand);
  std::optional<FoldedConstant> folded = foldConstants(expr.op, pointers);
  return folded && !isFloat(folded->dtype) ? std::optional<int64_t>(folded->integer) : std::nullopt;
}

const typed::Requirement *firstBroken(const typed::Kernel &kernel, const std::map<std::string, int64_t> &sizes) {
  for (const typed::Requirement &requirement : kernel.requirements)
    if (requirement.onTunables && evaluate(*requirement.condition, kernel, sizes) == 0)
      return &requirement;
  return nullptr;
}

/// The chosen sizes, or near ones that the kernel's requirements on tunables and the limit on tiles allow.
bool satisfyRequirements(const typed::Kernel &kernel, const Chooser &chooser, std::map<std::string, int64_t> &sizes) {
  if (!firstBroken(kernel, sizes))
    return true;
  std::vector<std::string> free;
  std::map<std::string, std::vector<int64_t>> candidates;
  for (const auto &tunable : kernel.tunables) {
    if (tunable->value)
      continue;
    free.push_back(tunable->name);
    candidates[tunable->name] = tunable->allowed.empty() ? std::vector<int64_t>{8, 16, 32, 64, 128, 256, 512, 1, 2, 4} : tunable->allowed;
    std::stable_sort(candidates[tunable->name].begin(), candidates[tunable->name].end(), [&](int64_t left, int64_t right) {
      return std::abs(left - sizes[tunable->name]) < std::abs(right - sizes[tunable->name]);
    });
  }
  int64_t budget = 20000; // combinations tried before giving up
  std::function<bool(size_t)> search = [&](size_t position) {
    if (position == free.size())
      return --budget < 0 || (!firstBroken(kernel, sizes) && chooser.fits(sizes));
    for (int64_t candidate : candidates[free[position]]) {
      sizes[free[position]] = candidate;
      if (search(position + 1))
        return budget >= 0;
    }
    return false;
  };
  return search(0) && budget >= 0;
}

std::string listOf(const std::map<std::string, int64_t> &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text;
}

} // namespace

TunableSizes TunableSizes::forCpu() {
  return {.contractedElements = 256, .contractedBytes = 0, .dotColumns = 256, .dotRows = 128, .contiguous = 4096, .tileElements = 16384,
          .mostElements = maxTileElements, .mostElementsWithDots = maxTileElements, .tiles = 16};
}

TunableSizes TunableSizes::forScheduledGpu(int64_t multiprocessors, int64_t split) {
  TunableSizes sizes = forGpu();
  sizes.mostElementsWithDots = maxTileElements;
  sizes.productTile = [=](const ProductShape &shape) { return bestTile(shape, multiprocessors, split); };
  return sizes;
}

TunableSizes TunableSizes::forGpu() {
  return {.contractedElements = 0, .contractedBytes = 128, .dotColumns = 128, .dotRows = 128, .contiguous = 4096, .tileElements = 4096,
          .mostElements = 8192, .mostElementsWithDots = 16384, .tiles = 264};
}

std::optional<std::map<std::string, int64_t>> chooseTunables(const typed::Kernel &kernel,
                                                             const std::map<std::string, int64_t> &extents,
                                                             const TunableSizes &target, Diagnostics &diagnostics, int64_t *split) {
  Chooser chooser(kernel, extents, target);
  std::map<std::string, int64_t> sizes = chooser.choose();
  if (split)
    *split = chooser.split;
  if (!satisfyRequirements(kernel, chooser, sizes)) {
    std::map<std::string, int64_t> given = chooser.choose();
    const typed::Requirement *broken = firstBroken(kernel, given);
    diagnostics.error(broken ? broken->where : kernel.where,
                      "no block sizes of kernel `" + kernel.name + "` satisfy its requirements" +
                          (broken && !broken->text.empty() ? ": " + broken->text : "") + " (tried near " + listOf(given) + ")");
    return std::nullopt;
  }
  return sizes;
}

} // namespace tilewright::compiler
