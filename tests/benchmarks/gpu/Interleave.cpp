#include "tests/benchmarks/gpu/Interleave.h"

#include <algorithm>

namespace benchmarks {

Times timesOf(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  size_t count = microseconds.size();
  return {(microseconds[(count - 1) / 2] + microseconds[count / 2]) / 2, microseconds.front()};
}

std::vector<Times> interleave(std::span<const std::function<double()>> contenders, int rounds) {
  std::vector<std::vector<double>> measured(contenders.size());
  for (int round = -1; round < rounds; ++round)
    for (size_t index = 0; index < contenders.size(); ++index)
      if (double time = contenders[index](); round >= 0)
        measured[index].push_back(time);
  std::vector<Times> times;
  for (std::vector<double> &each : measured)
    times.push_back(timesOf(std::move(each)));
  return times;
}

} // namespace benchmarks
