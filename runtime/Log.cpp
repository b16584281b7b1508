#include "runtime/Log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

using namespace tilewright::runtime;

namespace {

spdlog::level::level_enum toSpdlog(tw_log_level level) {
  switch (level) {
  case TW_LOG_DEBUG:
    return spdlog::level::debug;
  case TW_LOG_INFO:
    return spdlog::level::info;
  case TW_LOG_WARNING:
    return spdlog::level::warn;
  case TW_LOG_ERROR:
    return spdlog::level::err;
  default:
    return spdlog::level::off;
  }
}

tw_log_level fromSpdlog(spdlog::level::level_enum level) {
  return level <= spdlog::level::debug  ? TW_LOG_DEBUG
         : level == spdlog::level::info ? TW_LOG_INFO
         : level == spdlog::level::warn ? TW_LOG_WARNING
                                        : TW_LOG_ERROR;
}

/// Hands messages to the host; the base class lets one through at a time.
class HostSink : public spdlog::sinks::base_sink<std::mutex> {
public:
  HostSink(tw_log_function function, void *user) : function(function), user(user) {}

private:
  void sink_it_(const spdlog::details::log_msg &message) override {
    function(user, fromSpdlog(message.level), std::string(message.payload.data(), message.payload.size()).c_str());
  }
  void flush_() override {}

  tw_log_function function;
  void *user;
};

} // namespace

Log::Log(tw_log_function function, void *user, tw_log_level level) {
  // Not from spdlog's registry: that is the host's.
  if (function) {
    logger = std::make_shared<spdlog::logger>("tilewright", std::make_shared<HostSink>(function, user));
    logger->set_level(toSpdlog(level));
    return;
  }
  logger = std::make_shared<spdlog::logger>("tilewright", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%n: %^%l%$: %v");
  const char *wanted = std::getenv("TILEWRIGHT_LOG");
  logger->set_level(wanted && *wanted ? spdlog::level::from_str(wanted) : spdlog::level::warn);
}

Log::~Log() = default;

bool Log::isWanted(tw_log_level level) const {
  return logger->should_log(toSpdlog(level));
}

void Log::send(tw_log_level level, const std::string &message) {
  logger->log(toSpdlog(level), spdlog::string_view_t(message.data(), message.size()));
}
