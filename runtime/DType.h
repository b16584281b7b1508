// The dtypes of views and scalars on the host.
#pragma once

#include "tilewright/runtime_c.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::runtime {

tw_dtype dtypeNamed(std::string_view name); ///< TW_NO_DTYPE if there is none
bool isFloat(tw_dtype dtype);

/// A number given for a scalar parameter, before it has the parameter's dtype.
struct Scalar {
  bool isReal = false;
  int64_t integer = 0;
  double real = 0;
};

/// The scalar in the low bytes of a slot, rounded to nearest even if `dtype` is a float; nothing if an integer dtype cannot
/// hold it.
std::optional<int64_t> encode(Scalar scalar, tw_dtype dtype);
/// The number that those bytes stand for.
Scalar decode(int64_t slot, tw_dtype dtype);

} // namespace tilewright::runtime
