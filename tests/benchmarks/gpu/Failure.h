// Why something cannot be measured: where, what was expected, what was found.
#pragma once

#include "tilewright/tilewright.h"

#include <stdexcept>
#include <string>

namespace benchmarks {

class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The value, or a Failure with the library's message and diagnostics.
template <typename T> T get(tilewright::Result<T> result) {
  if (!result)
    throw Failure(std::string(result.error().message()) + '\n' + std::string(result.error().diagnostics()));
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

} // namespace benchmarks
