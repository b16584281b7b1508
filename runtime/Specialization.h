// From what the host says to what the compiler is told: which statics, tunables and facts make the artifact for these
// arguments.
//
// The outcome is canonical: what was said explicitly, inferred from dtypes and shapes, or left to its default, ends as the same
// list in the same order. So its text can be the key of every cache, whole.
#pragma once

#include "runtime/Arguments.h"
#include "runtime/Dimensions.h"
#include "runtime/Signature.h"
#include "runtime/ViewFacts.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::runtime {

using NamedText = std::pair<std::string, std::string>;

/// tw_specialization, copied and complete.
struct SpecializationRequest {
  std::vector<NamedText> bindings;
  std::vector<std::pair<std::string, int64_t>> dimensions;
  std::string target; ///< "": the context's; chooseTarget makes it what the compiler is asked for
  bool isForGpu = false;
  std::string schedule;
  bool checked = false;
  bool remarks = false;

  static Result<SpecializationRequest> read(const tw_specialization *from);
};

/// The statics of one kernel, and where each value comes from.
class Statics {
public:
  struct Value {
    std::string text;
    std::string by; ///< "bound by x": ends messages
  };

  /// Sorts the bindings of a request into statics and tunables, and infers types from the views' dtypes.
  static Result<Statics> infer(const Signature &signature, const SpecializationRequest &request, const Arguments &arguments);

  /// The numbers among them, for Dimensions.
  std::map<std::string, int64_t> constants() const;

  /// Adds the defaults of types that no view has decided.
  Status applyTypeDefaults();

  /// Adds what shapes and defaults give; an error if something is still open.
  Status complete(const Dimensions &dimensions, const Arguments &arguments);

  /// The dtype of a parameter; TW_NO_DTYPE while its static is open.
  tw_dtype dtypeOf(const Parameter &parameter) const;

  const Value *find(const std::string &name) const;
  const std::vector<NamedText> &tunables() const { return chosenTunables; }
  /// In the order of the signature.
  std::vector<NamedText> inOrder() const;

private:
  explicit Statics(const Signature &signature) : signature(&signature) {}
  Status bind(const std::string &name, const std::string &text);
  Status bindStatic(const Static &which, std::string text, std::string by);
  Status inferFrom(const Parameter &parameter, const ViewArgument &view);
  Status checkDtype(const Parameter &parameter, const ViewArgument &view) const;

  const Signature *signature;
  std::map<std::string, Value> values;
  std::vector<NamedText> chosenTunables;
};

/// The compiler's options, whole.
struct Specialization {
  std::string kernel, target, schedule;
  bool checked = false;
  bool remarks = false;
  std::vector<NamedText> statics, tunables;
  std::vector<NamedText> hints; ///< sizes that the open tunables are chosen for
  std::vector<std::string> presentViews; ///< of the optional ones
  std::vector<std::pair<std::string, ViewFacts>> views;
  /// What the compiler chooses for the hints; it stands for them in the key, so that sizes with the same choice share their code. "": it was not
  /// asked.
  std::string choice = {};

  /// Two specializations of one source are the same if and only if their keys are.
  std::string key() const;
};

/// Everything about one call of prepare that does not need the artifact.
struct Call {
  Arguments arguments;
  Specialization specialization;
  std::vector<BoundView> views; ///< by parameter; absent ones are empty
};
Result<Call> specialize(const Signature &signature, const SpecializationRequest &request, std::span<const tw_argument> given);

/// tw_infer_views.
Result<std::vector<tw_view_type>> inferViews(const Signature &signature, const SpecializationRequest &request,
                                             std::span<const tw_argument> given, const char *const *wanted, size_t wantedCount);

} // namespace tilewright::runtime
