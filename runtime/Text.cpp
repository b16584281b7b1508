#include "runtime/Text.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace tilewright::runtime;

std::string tilewright::runtime::joined(std::span<const std::string> names) {
  std::string result;
  for (const std::string &name : names)
    result += (result.empty() ? "" : ", ") + name;
  return result;
}

/// Insertions, deletions and replacements between two texts.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string tilewright::runtime::nearest(std::string_view wrong, std::span<const std::string> names) {
  // One slip in three letters is still the same word.
  size_t limit = std::max<size_t>(1, wrong.size() / 3) + 1;
  std::string best;
  for (const std::string &name : names) {
    size_t distance = editDistance(wrong, name);
    if (distance < limit && distance < std::max(wrong.size(), name.size())) {
      limit = distance;
      best = name;
    }
  }
  return best;
}

std::string tilewright::runtime::suggestion(std::string_view wrong, std::span<const std::string> names) {
  if (names.empty())
    return " (there are none)";
  if (std::string near = nearest(wrong, names); !near.empty())
    return concat(" (did you mean ", near, "?)");
  return concat(" (there ", names.size() == 1 ? "is " : "are ", joined(names), ")");
}
