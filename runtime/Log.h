// Warnings and news of a context: to the host's function, or to stderr.
#pragma once

#include "runtime/Text.h"
#include "tilewright/runtime_c.h"

#include <memory>
#include <mutex>
#include <string>

namespace spdlog {
class logger;
}

namespace tilewright::runtime {

class Log {
public:
  /// function null: stderr, from the level in $TILEWRIGHT_LOG on.
  Log(tw_log_function function, void *user, tw_log_level level);
  ~Log();

  template <typename... Parts> void debug(const Parts &...parts) { write(TW_LOG_DEBUG, parts...); }
  template <typename... Parts> void info(const Parts &...parts) { write(TW_LOG_INFO, parts...); }
  template <typename... Parts> void warning(const Parts &...parts) { write(TW_LOG_WARNING, parts...); }

private:
  template <typename... Parts> void write(tw_log_level level, const Parts &...parts) {
    if (isWanted(level))
      send(level, concat(parts...));
  }
  bool isWanted(tw_log_level level) const;
  void send(tw_log_level level, const std::string &message);

  std::shared_ptr<spdlog::logger> logger;
};

} // namespace tilewright::runtime
