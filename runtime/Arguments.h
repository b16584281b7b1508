// The arguments of a call, sorted by the parameters they are for and checked one by one. What they must have in common is the
// business of Specialization (dtypes) and Dimensions (shapes).
#pragma once

#include "runtime/Signature.h"

#include <optional>
#include <span>
#include <vector>

namespace tilewright::runtime {

/// A view as the host gave it.
struct ViewArgument {
  void *data = nullptr;
  tw_dtype dtype = TW_NO_DTYPE;
  int rank = 0;
  int64_t shape[TW_MAX_RANK] = {};
  int64_t strides[TW_MAX_RANK] = {};
  int32_t alignment = 0;              ///< promised by the host; 0: nothing said
  int32_t memory = TW_MEMORY_UNKNOWN; ///< whose it is

  int64_t elements() const;
  bool isEmpty() const { return elements() == 0; }
};

struct Arguments {
  std::vector<std::optional<ViewArgument>> views; ///< by parameter
  std::vector<std::optional<Scalar>> scalars;     ///< by position among the scalars; defaults filled in

  /// With `complete`, every parameter that is not optional must be there.
  static Result<Arguments> bind(const Signature &signature, std::span<const tw_argument> given, bool complete);
};

std::string shapeText(const ViewArgument &view); ///< "[3, 4]"

} // namespace tilewright::runtime
