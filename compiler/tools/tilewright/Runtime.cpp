#include "compiler/tools/tilewright/Runtime.h"

#include "compiler/tools/tilewright/CommandError.h"
#include "compiler/tools/tilewright/Terminal.h"

namespace tilewright::tools {

void report(tw_status status, tw_error *error) {
  std::string message = tw_error_message(error), diagnostics = tw_error_diagnostics(error);
  tw_error_release(error);
  printRendered(diagnostics);
  // Arguments' faults have no diagnostics; those of options, such as an unknown target, are the compiler's.
  bool isUsage = status == TW_NOT_FOUND || (status == TW_INVALID_ARGUMENT && !diagnostics.empty());
  if (!diagnostics.empty() && (status == TW_INVALID_SOURCE || diagnostics.find(message) != std::string::npos))
    message.clear(); // the diagnostics said it
  else if (message.empty())
    message = tw_status_name(status);
  throw CommandError(isUsage ? exitUsage : exitFailure, message);
}

} // namespace tilewright::tools
