// How far results are from a reference.
#pragma once

#include <string>

namespace benchmarks {

class Deviation {
public:
  void add(double found, double expected);
  /// The root mean square error over the root mean square of the reference; NaN if a result is one.
  double relative() const;

private:
  double errors = 0, references = 0;
};

/// Throws a Failure that says both numbers if `deviation` is larger than `bound`, or NaN.
void expectWithin(double deviation, double bound, const std::string &whose);

} // namespace benchmarks
