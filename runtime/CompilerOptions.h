// The compiler's options in its C interface.
#pragma once

#include "runtime/Specialization.h"
#include "tilewright/compiler_c.h"

#include <vector>

namespace tilewright::runtime {

/// tw_compiler_options over a Specialization, which must outlive it.
class CompilerOptions {
public:
  explicit CompilerOptions(const Specialization &from) {
    auto bindings = [](const std::vector<NamedText> &pairs) {
      std::vector<tw_compiler_binding> result;
      result.reserve(pairs.size());
      for (const auto &[name, value] : pairs)
        result.push_back({name.c_str(), value.c_str()});
      return result;
    };
    statics = bindings(from.statics);
    tunables = bindings(from.tunables);
    hints = bindings(from.hints);
    for (const std::string &name : from.presentViews)
      present.push_back(name.c_str());
    for (const auto &[name, facts] : from.views)
      views.push_back({name.c_str(), facts.unitStrideDimension, facts.packRank, facts.alignment, facts.packRun});
    raw.struct_size = sizeof(raw);
    raw.kernel = from.kernel.c_str();
    raw.target = from.target.c_str();
    raw.statics = statics.data();
    raw.static_count = statics.size();
    raw.tunables = tunables.data();
    raw.tunable_count = tunables.size();
    raw.present_views = present.data();
    raw.present_view_count = present.size();
    raw.views = views.data();
    raw.view_count = views.size();
    raw.dimension_hints = hints.data();
    raw.dimension_hint_count = hints.size();
    raw.schedule = from.schedule.c_str();
    raw.checked_mode = from.checked;
    raw.remarks = from.remarks;
  }
  CompilerOptions(const CompilerOptions &) = delete;
  CompilerOptions &operator=(const CompilerOptions &) = delete;

  tw_compiler_options raw = {};

private:
  std::vector<tw_compiler_binding> statics, tunables, hints;
  std::vector<const char *> present;
  std::vector<tw_compiler_view_facts> views;
};

} // namespace tilewright::runtime
