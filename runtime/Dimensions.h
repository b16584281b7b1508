// Dimensions are bound by name: the first view that has K as a plain dimension gives its extent, every other must agree.
//
//   x: T[M..., K], w: T[N, K]      x [2, 5, 64], w [77, 64]     M = 10 (2 · 5), K = 64, N = 77
//
// Plain names come first, in the order of the parameters; then definitions (P = (H - R) / 2 + 1), which may use them and each
// other; then expressions, which only check.
#pragma once

#include "runtime/Arguments.h"
#include "runtime/Signature.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::runtime {

struct BoundDimension {
  bool bound = false;
  int64_t extent = 0;
  std::string by; ///< "bound by x", "given", "a static": ends messages
  /// Of a pack: the dimensions that the view that bound it has in its place.
  std::vector<int64_t> packShape;
  bool hasPackShape = false;
};

class Dimensions {
public:
  /// Binds by explicit extents, then views, then definitions, and checks everything that can be. `constants` are the values of
  /// statics that are numbers.
  static Result<Dimensions> bind(const Signature &signature, const Arguments &arguments,
                                 const std::vector<std::pair<std::string, int64_t>> &given,
                                 const std::map<std::string, int64_t> &constants);

  const BoundDimension *find(std::string_view name) const;
  const std::vector<BoundDimension> &all() const { return bound; }

  /// The value of an expression, or what it lacks.
  Result<int64_t> evaluate(const Expression &expression) const;

  /// The extents of a view that does not exist yet.
  Result<std::vector<int64_t>> shapeOf(const Parameter &parameter) const;

private:
  explicit Dimensions(const Signature &signature) : signature(&signature), bound(signature.dimensionNames.size()) {}

  Status bindNumber(const std::string &name, int64_t extent, const char *by);
  Status bindView(const Parameter &parameter, const ViewArgument &view);
  Status bindDefinitions();
  Status checkComputed(const Parameter &parameter, const ViewArgument &view) const;
  bool isComputable(const Expression &expression) const;

  const Signature *signature;
  std::vector<BoundDimension> bound; ///< by Signature::dimensionNames
  std::vector<std::optional<Scalar>> scalars;
};

} // namespace tilewright::runtime
