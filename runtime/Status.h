// Errors as values inside the runtime. Exceptions are not used to report anything; those of the standard library and of the
// libraries we use (no memory, mostly) are turned into a status where the C interface begins.
#pragma once

#include "tilewright/runtime_c.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tilewright::runtime {

/// Success, or a code with a message. One pointer wide, and free to make and pass on success.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(tw_status code, std::string message, std::string diagnostics = {})
      : content(std::make_unique<Content>(Content{code, std::move(message), std::move(diagnostics)})) {}

  bool ok() const { return !content; }
  tw_status code() const { return content ? content->code : TW_OK; }
  const std::string &message() const { return content->message; }
  const std::string &diagnostics() const { return content->diagnostics; }

  Status copy() const { return ok() ? Status() : Status(content->code, content->message, content->diagnostics); }

private:
  struct Content {
    tw_status code;
    std::string message;
    std::string diagnostics;
  };
  std::unique_ptr<Content> content;
};

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Status failure) : failure(std::move(failure)) {}

  bool ok() const { return content.has_value(); }
  T &operator*() { return *content; }
  T *operator->() { return &*content; }
  Status takeStatus() { return std::move(failure); }
  const Status &status() const { return failure; }

private:
  std::optional<T> content;
  Status failure;
};

} // namespace tilewright::runtime
