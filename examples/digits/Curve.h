// A learning curve as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace digits {

/// Accuracies (0 to 1) after each epoch.
struct Curve {
  std::vector<double> train, test;
};

/// Writes the picture; false if the file cannot be written.
bool writeSvg(const std::string &path, const Curve &curve);

} // namespace digits
