// Limits of the language's implementation that are not the parser's (those are in Parser.h). Each has an error of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::frontend {

/// Elements of one tile (language §3.17).
inline constexpr int64_t maxTileElements = int64_t{1} << 18;
/// Operations of one function, with those of the functions that it calls: every call is inlined.
inline constexpr size_t maxInlinedOperations = size_t{1} << 15;
/// Dimensions of a view as passed.
inline constexpr int64_t maxViewRank = 5;

} // namespace tilewright::frontend
