// What was measured, as a table and as JSON lines.
#pragma once

#include "tests/benchmarks/gpu/Interleave.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace benchmarks {

/// A bound that somebody relies on, and whether it held.
struct Bar {
  std::string text; ///< "ratio >= 0.90"
  bool isMet = false;
};

Bar atLeastRatio(double ratio, double bound);
/// text: "<= 0.5 us above", whose number is the bound.
Bar atMost(double microseconds, double bound, const std::string &text);

struct Row {
  std::string part, name;
  std::optional<Times> ours, yardstick; ///< nothing: it could not be measured; `remark` says why
  std::string against;                  ///< what the yardstick is
  double work = 0;                      ///< bytes or operations of one launch of either; 0: time is what counts
  std::string rateUnit;                 ///< "GB/s", "TFLOP/s": of the work
  std::optional<double> deviation;      ///< root mean square error over that of the reference; of ours
  std::optional<Bar> bar;
  bool isWrong = false; ///< a wrong result, or a failure: the program's exit code tells
  std::string remark;
  std::optional<double> mean; ///< of ratios of several cases: then this is the ratio

  /// How many times faster ours is.
  std::optional<double> ratio() const;
};

/// "183.4 us", "2.51 ms".
std::string timeText(double microseconds);
/// The whole table, and below it what went wrong.
void printTable(const std::vector<Row> &rows, std::FILE *to);
/// One line, without its end.
std::string jsonLine(const Row &row);

} // namespace benchmarks
