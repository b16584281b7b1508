#include "runtime/cuda/AssemblerLog.h"

#include <algorithm>
#include <charconv>

namespace tilewright::runtime::cuda {

static bool costsSpeed(std::string_view line) {
  for (size_t at = line.find("(C"); at != std::string_view::npos; at = line.find("(C", at + 1)) {
    int number = 0;
    std::from_chars(line.data() + at + 2, line.data() + line.size(), number);
    if ((number >= 7504 && number <= 7519) || number == 7602)
      return true;
  }
  return false;
}

std::vector<std::string> warningsIn(std::string_view log) {
  std::vector<std::string> warnings;
  while (!log.empty()) {
    size_t end = std::min(log.find('\n'), log.size());
    std::string line(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (size_t at = line.find("(C"); costsSpeed(line)) {
      line.erase(0, at); // what comes before names the program
      if (std::find(warnings.begin(), warnings.end(), line) == warnings.end())
        warnings.push_back(line);
    }
  }
  return warnings;
}

} // namespace tilewright::runtime::cuda
