// How the C interface reports: exceptions end here, errors become handles.
#pragma once

#include "runtime/Status.h"
#include "runtime/Text.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

struct tw_error {
  tilewright::runtime::Status status;
};

namespace tilewright::runtime {

/// When there is no memory for an error there is this one.
extern const tw_error outOfMemory;

inline tw_status deliver(Status status, tw_error **error) {
  tw_status code = status.code();
  if (error)
    *error = status.ok() ? nullptr : new tw_error{std::move(status)};
  return code;
}

/// Runs the body of one C function; what it returns or throws becomes a status.
template <typename Body> tw_status guarded(tw_error **error, Body body) {
  if (error)
    *error = nullptr;
  try {
    try {
      return deliver(body(), error);
    } catch (const std::bad_alloc &) {
      return deliver(Status(TW_OUT_OF_MEMORY, "out of memory"), error);
    } catch (const std::exception &exception) {
      return deliver(Status(TW_INTERNAL_ERROR, concat("unexpected: ", exception.what())), error);
    }
  } catch (...) {
    if (error)
      *error = const_cast<tw_error *>(&outOfMemory);
    return TW_OUT_OF_MEMORY;
  }
}

inline Status isNull(const char *what) {
  return Status(TW_INVALID_ARGUMENT, concat(what, " is null"));
}

/// For tw_text_release.
inline Status copyText(std::string_view text, char **to) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return Status(TW_OUT_OF_MEMORY, "out of memory");
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  *to = copy;
  return {};
}

} // namespace tilewright::runtime
