#include "tests/benchmarks/gpu/Deviation.h"

#include "tests/benchmarks/gpu/Failure.h"

#include <cmath>
#include <cstdio>

namespace benchmarks {

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2e", value);
  return text;
}

} // namespace

void Deviation::add(double found, double expected) {
  errors += (found - expected) * (found - expected);
  references += expected * expected;
}

double Deviation::relative() const {
  return errors == 0 ? 0 : std::sqrt(errors / references);
}

void expectWithin(double deviation, double bound, const std::string &whose) {
  if (!(deviation <= bound))
    throw Failure("wrong results of " + whose + ": their relative error is " + number(deviation) + ", expected " +
                  number(bound) + " at most");
}

} // namespace benchmarks
