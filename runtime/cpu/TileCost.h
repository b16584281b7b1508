// How long one tile of a launch takes: at first what its products should take, then what launches measure.
//
// It decides whether threads are worth their waking, and how many tiles one part has. Since results do not depend on either, it
// may be as inexact as it likes.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace tilewright::runtime {

class TileCost {
public:
  /// operations: of the products of all tiles; 0 if there are none, or nobody knows. tiles: not positive if nobody knows.
  void begin(double operations, int64_t tiles) {
    double each = tiles > 0 ? operations / static_cast<double>(tiles) / operationsEachNanosecond : 0;
    average.store(std::max(usual, static_cast<float>(each)));
  }

  float nanoseconds() const { return average.load(std::memory_order_relaxed); }
  bool areWorthThreads(int64_t tiles) const { return tiles > 1 && static_cast<float>(tiles) * nanoseconds() > worthThreads; }
  int64_t tilesOfOnePart() const { return std::max<int64_t>(1, static_cast<int64_t>(onePart / nanoseconds())); }

  /// Sums the time that threads spend in tiles during one launch, and learns from it.
  class Measurement {
  public:
    explicit Measurement(TileCost &cost) : cost(cost) {}
    template <typename Work> void time(Work work) {
      auto begin = std::chrono::steady_clock::now();
      work();
      busy.fetch_add((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1), std::memory_order_relaxed);
    }
    /// An average that forgets: a thread that was interrupted must not decide for long.
    void learn(int64_t tiles) {
      float found = static_cast<float>(busy.load(std::memory_order_relaxed)) / static_cast<float>(tiles);
      cost.average.store(std::max(least, (cost.nanoseconds() + found) / 2), std::memory_order_relaxed);
    }

  private:
    TileCost &cost;
    std::atomic<int64_t> busy = 0;
  };

private:
  static constexpr float usual = 2'000;                   ///< what is not a product
  static constexpr double operationsEachNanosecond = 100; ///< of one thread with AVX-512 in f32
  static constexpr float worthThreads = 20'000; ///< waking the other threads and waiting for the last takes some microseconds
  static constexpr float onePart = 10'000;      ///< a part is not smaller, so that handing it out costs little
  static constexpr float least = 0.5;

  std::atomic<float> average = usual;
};

} // namespace tilewright::runtime
