// What the example does where the digits cannot be fetched.
#pragma once

#include "tilewright/tilewright.h"

namespace digits {

/// y = gelu(x · wᵀ + b) on random data, timed and compared with plain loops in f64. Returns the program's exit code.
int runOnGeneratedData(tilewright::Context &context);

} // namespace digits
