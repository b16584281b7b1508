#include "tests/benchmarks/gpu/Table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace benchmarks {

namespace {

std::string format(const char *how, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), how, value);
  return text;
}

double rateOf(const Row &row, const Times &times) {
  double perSecond = row.work / times.median * 1e6;
  return row.rateUnit == "TFLOP/s" ? perSecond * 1e-12 : perSecond * 1e-9;
}

nlohmann::json jsonOf(const std::optional<Times> &times) {
  if (!times)
    return nullptr;
  return {{"median_us", times->median}, {"minimum_us", times->minimum}};
}

/// Columns of text: as wide as what is in them, the first and the last to the left.
class Columns {
public:
  void add(std::vector<std::string> cells) { lines.push_back(std::move(cells)); }
  void print(std::FILE *to) const {
    std::vector<size_t> widths;
    for (const std::vector<std::string> &line : lines) {
      widths.resize(std::max(widths.size(), line.size()));
      for (size_t column = 0; column < line.size(); ++column)
        widths[column] = std::max(widths[column], line[column].size());
    }
    for (const std::vector<std::string> &line : lines) {
      std::string text;
      for (size_t column = 0; column < line.size(); ++column) {
        std::string blanks(widths[column] - line[column].size(), ' ');
        bool isLeft = column == 0 || column + 2 >= line.size();
        text += (column ? "  " : "") + (isLeft ? line[column] + blanks : blanks + line[column]);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      std::fprintf(to, "%s\n", text.c_str());
    }
  }

private:
  std::vector<std::vector<std::string>> lines;
};

} // namespace

Bar atLeastRatio(double ratio, double bound) {
  return {format("ratio >= %.2f", bound), ratio >= bound};
}

Bar atMost(double microseconds, double bound, const std::string &text) {
  return {text, microseconds <= bound};
}

std::optional<double> Row::ratio() const {
  if (!ours || !yardstick)
    return mean;
  return yardstick->median / ours->median;
}

std::string timeText(double microseconds) {
  if (microseconds < 100)
    return format("%.3f us", microseconds);
  if (microseconds < 10'000)
    return format("%.1f us", microseconds);
  return format("%.2f ms", microseconds * 1e-3);
}

void printTable(const std::vector<Row> &rows, std::FILE *to) {
  Columns columns;
  columns.add({"case", "ours", "minimum", "yardstick", "minimum", "ratio", "rate", "error", "bar", "against"});
  for (const Row &row : rows) {
    auto median = [](const std::optional<Times> &times) { return times ? timeText(times->median) : "-"; };
    auto minimum = [](const std::optional<Times> &times) { return times ? timeText(times->minimum) : "-"; };
    columns.add({row.part + ": " + row.name, median(row.ours), minimum(row.ours), median(row.yardstick), minimum(row.yardstick),
                 row.ratio() ? format("%.3f", *row.ratio()) : "-",
                 row.ours && row.work > 0 ? format("%.1f ", rateOf(row, *row.ours)) + row.rateUnit : "-",
                 row.deviation ? format("%.1e", *row.deviation) : "-",
                 row.bar ? row.bar->text + (row.bar->isMet ? ", met" : ", MISSED") : "-", row.against});
  }
  columns.print(to);
  for (const Row &row : rows)
    if (!row.remark.empty())
      std::fprintf(to, "%s%s: %s: %s\n", row.isWrong ? "FAILED " : "", row.part.c_str(), row.name.c_str(), row.remark.c_str());
}

std::string jsonLine(const Row &row) {
  nlohmann::ordered_json line;
  line["part"] = row.part;
  line["case"] = row.name;
  line["ours"] = jsonOf(row.ours);
  line["yardstick"] = jsonOf(row.yardstick);
  line["against"] = row.against;
  line["ratio"] = row.ratio() ? nlohmann::ordered_json(*row.ratio()) : nullptr;
  if (row.work > 0 && row.ours) {
    line["rate"] = rateOf(row, *row.ours);
    line["unit"] = row.rateUnit;
  }
  if (row.deviation)
    line["error"] = *row.deviation;
  if (row.bar) {
    line["bar"] = row.bar->text;
    line["met"] = row.bar->isMet;
  }
  line["wrong"] = row.isWrong;
  line["remark"] = row.remark;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace benchmarks
