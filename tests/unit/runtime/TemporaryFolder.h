// A folder of mode 0700 that is gone after the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tilewright::runtime::test {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilewright-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const { return path + "/" + name; }

  std::string path;
};

} // namespace tilewright::runtime::test
