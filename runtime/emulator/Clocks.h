// Vector clocks: what one party knows of all others.
//
// Parties are what makes accesses: first the cluster's warps, then, as they appear, what completes asynchronously and is waited
// for on its own: an mbarrier's bulk copies (the clock counts its phases), a warpgroup's wgmma (counts instructions) and the
// bulk groups of a thread (counts groups). An access is ordered before another if the second party knows a clock at least as
// late.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::runtime::emulator {

class Clocks {
public:
  uint32_t operator[](size_t party) const { return party < values.size() ? values[party] : 0; }
  void raise(size_t party, uint32_t clock) {
    if (party >= values.size())
      values.resize(party + 1);
    values[party] = std::max(values[party], clock);
  }
  void set(size_t party, uint32_t clock) {
    raise(party, 0);
    values[party] = clock;
  }
  void join(const Clocks &other) {
    if (values.size() < other.values.size())
      values.resize(other.values.size());
    for (size_t party = 0; party < other.values.size(); ++party)
      values[party] = std::max(values[party], other.values[party]);
  }

private:
  std::vector<uint32_t> values;
};

struct Knowledge {
  Clocks clocks;
  /// Of those, the accesses that fence.proxy.async has put before the asynchronous proxy too.
  Clocks fenced;

  void join(const Knowledge &other) {
    clocks.join(other.clocks);
    fenced.join(other.fenced);
  }
};

} // namespace tilewright::runtime::emulator
