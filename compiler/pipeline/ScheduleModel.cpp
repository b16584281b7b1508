#include "compiler/pipeline/ScheduleModel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace tilewright::compiler {

namespace {

constexpr int64_t stepDepth = 64, elementBytes = 2, warpgroupThreads = 128, mostAccumulators = 208;
/// Beside what stores of parts keep: with 208 accumulators a thread of the ready projection stored 52 bytes because registers were too few, with a bias 588.
constexpr int64_t mostAccumulatorsOfParts = 192;
constexpr double ringBytes = 192 * 1024; ///< what staging leaves

// Clocks under load: the power limit holds long runs of the tensor cores to the lower one.
constexpr double shortRunOperations = 5e10, shortRunGigahertz = 1.72, longRunGigahertz = 1.42;

// Tensor cores: 32 multiply-adds of 16 bits a cycle and element of the tile's step, a little more where operands come in fast.
constexpr double multiplyRate = 32, issueCost = 1.02, fillCost = 0.25, freeFill = 0.83, fillScale = 64;
// What a multiprocessor takes in from L2, in runs that the power limit holds back and in others.
constexpr double ingestBytesPerNanosecond = 100, ingestOfShortRuns = 115;
// Of rows that begin within sectors of 32 bytes: 2000 × 2000, K = 1000 took 26.3 µs by 128 × 128, 21.0 by 128 × 256 (K = 1008: 18.4, 18.9).
constexpr double ingestOfSplitSectors = 48;
constexpr int64_t sectorBytes = 32;
// What the tensor cores read of shared memory; where that alone fills its cycles (64 columns), what comes in has to wait.
constexpr double sharedBytesPerCycle = 128, sharedBytesThatLeaveRoom = 120;
constexpr double loadLatencyCycles = 1800;       ///< from asking for a stage to its arrival
constexpr double startCycles = 250;              ///< of a tile's products

// Epilogues, cycles an element: beside products of the other group, and alone by one or two warpgroups.
constexpr double hiddenEpilogue = 0.30, aloneByOne = 0.175, aloneByTwoSmall = 0.15, aloneByTwo = 0.115;
constexpr int64_t smallTile = 16384;
constexpr double groupSwitchCycles = 150;
/// What a tile of both warpgroups costs once more than its parts: 4096 × 1024, K = 256, took 12.0 µs by 128 × 256, one round, and 10.4 µs by 128 × 128, two.
constexpr double cooperationCycles = 3000;

// An operand that is computed on the way. For each 64 rows a scheduler has a warp, which computes 32 elements a thread in a step beside what it does in each
// (counted: linear_dx, sm_90a). Schedulers that have two warps issue five instructions in eight cycles, with one three: these are guesses. Wide tiles are good,
// whose elements are computed less often, and the better the more there is to compute.
constexpr double instructionsOfStep = 70, issuedByTwo = 0.625, issuedByOne = 0.375;
constexpr int64_t rowsOfWarpgroup = 64, elementsOfThread = 32;

// Blocks that form parts of a tile's sum: each writes its accumulators to its own shared memory, and reads as many of all blocks' together. These are guesses.
constexpr double meetingCycles = 2000, sumBytes = 4, remoteBytesPerCycle = 32;
// A cluster's blocks are on multiprocessors of one group of 16 or 18.
constexpr int64_t multiprocessorsOfGroup = 16;
/// The estimate for a tile that is split must be so much lower; steps that each block must have, so that the meeting is a small part.
constexpr double clearGain = 0.9;
constexpr int64_t fewestStepsOfBlock = 8;

constexpr double launchCycles = 3700, endCycles = 400;

// DRAM, which 92 of 132 multiprocessors saturate.
constexpr double dramBytesPerNanosecond = 3900, saturatingShare = 0.7;

double ceilingOf(int64_t count, int64_t part) {
  return static_cast<double>(count / part) + (count % part != 0);
}

bool isCooperative(const ProductShape &shape, const ProductTile &tile) {
  return tile.split > 1 || (shape.computedOf > 0 && tile.rows % 128 == 0) || tile.rows * tile.columns / warpgroupThreads > mostAccumulators;
}

double tilesOf(const ProductShape &shape, const ProductTile &tile) {
  return ceilingOf(shape.rows, tile.rows) * ceilingOf(shape.columns, tile.columns) * static_cast<double>(shape.count);
}

/// That run at one time.
int64_t clustersOf(int64_t multiprocessors, int64_t split) {
  return split == 1 ? multiprocessors : std::max<int64_t>(1, multiprocessors / multiprocessorsOfGroup * (multiprocessorsOfGroup / split));
}

double stepsOf(const ProductShape &shape) {
  return std::max(1.0, ceilingOf(shape.depth, stepDepth));
}

/// Operands that are contiguous along the depth, and whose rows follow one another.
bool splitsSectors(const ProductShape &shape) {
  return shape.columnMultiple < stepDepth && shape.depth * elementBytes % sectorBytes != 0;
}

struct Estimate {
  double compute, memory;
};

Estimate estimateOf(const ProductShape &shape, const ProductTile &tile, int64_t multiprocessors) {
  double operations = 2.0 * static_cast<double>(shape.rows) * static_cast<double>(shape.columns) * static_cast<double>(shape.depth) * static_cast<double>(shape.count);
  double gigahertz = operations < shortRunOperations ? shortRunGigahertz : longRunGigahertz;
  auto rows = static_cast<double>(tile.rows), columns = static_cast<double>(tile.columns), elements = rows * columns;
  auto loaded = static_cast<double>(std::max<int64_t>(1, shape.computedOf)); // tiles of rows
  double stepBytes = (rows * loaded + columns) * stepDepth * elementBytes, stages = std::min(16.0, static_cast<double>(static_cast<int64_t>(ringBytes / stepBytes)));
  double multiply = elements / multiplyRate, fill = stepBytes / multiply;
  double ingest = splitsSectors(shape) ? ingestOfSplitSectors : operations < shortRunOperations ? ingestOfShortRuns : ingestBytesPerNanosecond;
  double reads = (64 + columns) * 32 * (rows / 64) * 4, shared = reads / multiply > sharedBytesThatLeaveRoom ? reads + stepBytes : reads;
  double step = std::max({multiply * (issueCost + fillCost * std::max(0.0, fill / fillScale - freeFill)), stepBytes / (ingest / gigahertz),
                          shared / sharedBytesPerCycle, loadLatencyCycles / (stages - 1)});
  bool cooperative = isCooperative(shape, tile);
  if (shape.computedOf > 0)
    step = std::max(step, rows / rowsOfWarpgroup * (instructionsOfStep + elementsOfThread * shape.computedInstructions) / (cooperative ? issuedByTwo : issuedByOne));
  auto split = static_cast<double>(tile.split);
  double products = std::ceil(stepsOf(shape) / split) * step + startCycles;
  double hidden = hiddenEpilogue * elements;
  double alone = elements / split * (!cooperative ? aloneByOne : tile.rows * tile.columns <= smallTile ? aloneByTwoSmall : aloneByTwo);
  if (tile.split > 1)
    alone += meetingCycles + elements * sumBytes * (1 / sharedBytesPerCycle + 1 / remoteBytesPerCycle);
  double tiles = tilesOf(shape, tile);
  // All rounds but the first and the last are alike: of very many a part stands for the whole.
  constexpr int64_t mostRounds = 1024;
  double allRounds = std::ceil(tiles / static_cast<double>(clustersOf(multiprocessors, tile.split))); // of extents that no memory has, beyond an int64_t
  auto rounds = static_cast<int64_t>(std::min<double>(allRounds, mostRounds));
  int groups = cooperative ? 1 : 2;
  // When the products and the epilogue of each of the last tiles end.
  double productsEnd = 0;
  std::vector<double> ends;
  for (int64_t round = 0; round < rounds; ++round) {
    double start = productsEnd;
    if (round >= groups)
      start = std::max(start, ends[static_cast<size_t>(round - groups)] + groupSwitchCycles);
    productsEnd = start + products;
    double epilogue = hidden > products ? products + (hidden - products) * alone / hidden : hidden;
    if (cooperative || round + 1 == rounds)
      epilogue = alone;
    ends.push_back(std::max(productsEnd, ends.empty() ? 0 : ends.back()) + epilogue);
  }
  double compute = launchCycles + ends.back() * allRounds / static_cast<double>(rounds) + endCycles + (cooperative ? cooperationCycles : 0);
  double bytes = elementBytes * static_cast<double>(shape.count) * (loaded * static_cast<double>(shape.rows) * static_cast<double>(shape.depth) + static_cast<double>(shape.columns) * static_cast<double>(shape.depth) +
                                 static_cast<double>(shape.rows) * static_cast<double>(shape.columns));
  double share = std::min(1.0, tiles * split / (saturatingShare * static_cast<double>(multiprocessors)));
  double memory = launchCycles + bytes / (dramBytesPerNanosecond * share) * gigahertz;
  return {compute, memory};
}

} // namespace

double estimatedCycles(const ProductShape &shape, const ProductTile &tile, int64_t multiprocessors) {
  Estimate estimate = estimateOf(shape, tile, multiprocessors);
  return std::max(estimate.compute, estimate.memory);
}

/// Tiles that so many blocks can have, and are worth it, in the order of what is tried first.
static std::vector<ProductTile> tilesToSplit(const ProductShape &shape, int64_t multiprocessors, bool isAskedFor, int64_t split) {
  std::vector<ProductTile> tiles;
  for (int64_t columns : {256, 128, 192, 64}) {
    ProductTile tile{128, columns, split};
    double count = tilesOf(shape, tile);
    bool isFew = 2 * count <= static_cast<double>(multiprocessors) && count <= static_cast<double>(clustersOf(multiprocessors, split));
    bool isLong = stepsOf(shape) >= static_cast<double>(fewestStepsOfBlock * split);
    bool isPossible = columns % (16 * split) == 0 && columns % shape.columnMultiple == 0;
    if (isPossible && (isAskedFor || (isFew && isLong)) && (shape.computedOf == 0 || columns <= 256))
      tiles.push_back(tile);
  }
  return tiles;
}

ProductTile bestTile(const ProductShape &shape, int64_t multiprocessors, int64_t split) {
  bool isComputed = shape.computedOf > 0;
  if (shape.rows <= 0 || shape.columns <= 0 || shape.depth < 0)
    return {128, isComputed ? 256 : 128, std::max<int64_t>(1, split)};
  std::vector<ProductTile> tiles;
  // Of so few rows memory is all: the more of it the ring asks for at a time the better, and rows that do not exist take room.
  if (isComputed) // a thread has room for 128 accumulators
    for (int64_t rows : {128, 64})
      for (int64_t columns : {256, 192, 224, 160, 128, 96, 64})
        tiles.push_back({rows, columns});
  else if (shape.rows <= 64)
    for (int64_t columns : {128, 112, 96, 80, 64, 48, 32})
      tiles.push_back({64, columns});
  else {
    for (int64_t columns : {192, 176, 208, 160, 144, 128, 112, 96, 64, 256})
      tiles.push_back({128, columns});
    // So that small products give work to all multiprocessors.
    for (int64_t columns : {256, 224, 208, 192, 176, 160, 144, 128, 112, 96, 80, 64})
      tiles.push_back({64, columns});
  }
  std::erase_if(tiles, [&](const ProductTile &tile) {
    bool hasRoom = isCooperative(shape, tile) || tile.rows * tile.columns / warpgroupThreads <= mostAccumulatorsOfParts;
    return tile.columns % shape.columnMultiple != 0 || (shape.storesParts && !hasRoom);
  });
  auto cost = [&](const ProductTile &tile) {
    Estimate estimate = estimateOf(shape, tile, multiprocessors);
    // What is bound by memory is as fast with any tile that keeps all multiprocessors asking; best if none has to begin a second one: 16 rows
    // of 14336 × 4096 took 42 µs by 112 columns (128 tiles), 63 µs by 32.
    double tiles = ceilingOf(shape.rows, tile.rows) * ceilingOf(shape.columns, tile.columns) * static_cast<double>(shape.count);
    double rounds = estimate.memory > estimate.compute ? ceilingOf(static_cast<int64_t>(tiles), multiprocessors) : 0;
    return std::tuple(std::max(estimate.compute, estimate.memory), rounds, estimate.compute);
  };
  auto best = [&](const std::vector<ProductTile> &among) {
    return *std::min_element(among.begin(), among.end(), [&](const ProductTile &a, const ProductTile &b) { return cost(a) < cost(b); });
  };
  ProductTile whole = best(tiles);
  std::vector<ProductTile> divided;
  // By itself only by two: a gradient of weights, 1024 × 1024 over 16384, took 107 µs by four blocks, 73 by two, 78 by one (not known why: perhaps
  // fewer than 32 clusters of four find room at a time).
  for (int64_t blocks : {2, 4, 8})
    if (split == blocks || (split == 0 && blocks == 2))
      for (const ProductTile &tile : tilesToSplit(shape, multiprocessors, split != 0, blocks))
        divided.push_back(tile);
  if (divided.empty())
    return whole;
  ProductTile parts = best(divided);
  return split != 0 || estimatedCycles(shape, parts, multiprocessors) < clearGain * estimatedCycles(shape, whole, multiprocessors) ? parts : whole;
}

} // namespace tilewright::compiler
