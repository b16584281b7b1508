// What the compiler chose for the open tunables of a kernel and the sizes of a call.
//
// Sizes decide tiles, and tiles decide the code. So that the code need not be compiled for every size, it is kept by what was chosen; here
// lies what was chosen for each size. A choice takes a thousandth of a compilation.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tilewright::runtime {

class ChoiceCache {
public:
  /// May be called from any thread; two that ask for a key at once may both make it.
  std::string findOrMake(const std::string &key, const std::function<std::string()> &make) {
    {
      std::lock_guard lock(mutex);
      if (auto found = choices.find(key); found != choices.end())
        return found->second;
    }
    std::string choice = make();
    std::lock_guard lock(mutex);
    return choices.emplace(key, std::move(choice)).first->second;
  }

private:
  std::mutex mutex;
  std::unordered_map<std::string, std::string> choices;
};

} // namespace tilewright::runtime
