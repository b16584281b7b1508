// Who is compared takes turns: clocks and neighbours disturb all alike.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace benchmarks {

/// In microseconds.
struct Times {
  double median = 0, minimum = 0;
};

/// Of at least one measurement.
Times timesOf(std::vector<double> microseconds);

/// Each contender does what is timed and returns its microseconds. They are called in turns, in every round all of them, after
/// one round that does not count. rounds: at least 1.
std::vector<Times> interleave(std::span<const std::function<double()>> contenders, int rounds);

} // namespace benchmarks
