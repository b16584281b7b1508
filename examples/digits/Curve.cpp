#include "Curve.h"

#include <algorithm>
#include <cstdio>

namespace digits {

namespace {
constexpr double width = 720, height = 420, left = 64, right = 24, top = 32, bottom = 52;

/// From (epoch, accuracy) to the picture. The axis starts at a round value below the worst accuracy.
struct Scale {
  double epochs, lowest;
  double x(double epoch) const { return left + (width - left - right) * (epoch - 1) / std::max(1.0, epochs - 1); }
  double y(double accuracy) const { return top + (height - top - bottom) * (1 - accuracy) / (1 - lowest); }
};

std::string line(const std::vector<double> &values, const Scale &scale, const char *colour) {
  std::string points;
  char text[64];
  for (size_t index = 0; index < values.size(); ++index) {
    std::snprintf(text, sizeof text, "%.1f,%.1f ", scale.x(static_cast<double>(index) + 1), scale.y(values[index]));
    points += text;
  }
  return "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + std::string(colour) + "\" points=\"" + points + "\"/>\n";
}

std::string label(double x, double y, const char *anchor, const std::string &text) {
  char start[128];
  std::snprintf(start, sizeof start, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  return start + text + "</text>\n";
}

std::string percent(double fraction) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
  return text;
}
} // namespace

bool writeSvg(const std::string &path, const Curve &curve) {
  double worst = 1;
  for (double value : curve.train)
    worst = std::min(worst, value);
  for (double value : curve.test)
    worst = std::min(worst, value);
  double lowest = worst > 0.9 ? 0.9 : worst > 0.8 ? 0.8 : worst > 0.5 ? 0.5 : 0.0;
  Scale scale{static_cast<double>(curve.train.size()), lowest};

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 420\" font-family=\"sans-serif\" font-size=\"13\">\n"
                    "<rect width=\"720\" height=\"420\" fill=\"white\"/>\n";
  for (int tick = 0; tick <= 5; ++tick) {
    double value = lowest + (1 - lowest) * tick / 5;
    char grid[160];
    std::snprintf(grid, sizeof grid, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", left, width - right,
                  scale.y(value), scale.y(value));
    svg += grid + label(left - 8, scale.y(value) + 4, "end", percent(value));
  }
  size_t step = std::max<size_t>(1, curve.train.size() / 10);
  for (size_t epoch = 1; epoch <= curve.train.size(); epoch += step)
    svg += label(scale.x(static_cast<double>(epoch)), height - bottom + 20, "middle", std::to_string(epoch));
  svg += label((left + width - right) / 2, height - 12, "middle", "epoch");
  svg += line(curve.train, scale, "#888") + line(curve.test, scale, "#06c");
  svg += "<g fill=\"#888\">" + label(width - right - 8, height - bottom - 34, "end", "training, pictures moved at random") + "</g>\n";
  svg += "<g fill=\"#06c\">" + label(width - right - 8, height - bottom - 14, "end", "test") + "</g>\n</svg>\n";

  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file)
    return false;
  bool written = std::fwrite(svg.data(), 1, svg.size(), file) == svg.size();
  return std::fclose(file) == 0 && written;
}

} // namespace digits
