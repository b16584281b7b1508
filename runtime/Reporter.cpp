#include "runtime/Reporter.h"

#include "runtime/Text.h"

#include <algorithm>

using namespace tilewright::runtime;

static void appendValue(std::string &to, int64_t slot, tw_dtype dtype) {
  Scalar value = decode(slot, dtype);
  if (dtype == TW_BOOL)
    to += value.integer ? "true" : "false";
  else if (dtype == TW_F64)
    append(to, value.real);
  else if (value.isReal)
    append(to, static_cast<float>(value.real)); // as short as the dtype allows
  else
    append(to, value.integer);
}

Status Reporter::outcome() const {
  if (!hasFailures())
    return {};
  std::string all;
  for (const Failure &failure : failures)
    all += failure.text + '\n';
  return Status(TW_ASSERTION_FAILED, failures.empty() ? std::string("an assertion failed") : failures.front().text, all);
}

void Reporter::take(int64_t number, std::span<const int64_t> values) {
  if (number < 0 || static_cast<size_t>(number) >= artifact.messages.size())
    return;
  const Message &message = artifact.messages[static_cast<size_t>(number)];
  std::string text;
  size_t next = 0;
  for (const MessagePart &part : message.parts) {
    if (part.dtype == TW_NO_DTYPE)
      text += part.text;
    else if (next < values.size())
      appendValue(text, values[next++], part.dtype);
  }
  if (message.kind == TW_REPORT_ASSERT) {
    failed.store(true, std::memory_order_relaxed);
    auto count = static_cast<size_t>(std::clamp<int64_t>(message.positionCount, 0, static_cast<int64_t>(values.size())));
    std::vector<int64_t> ordered(values.end() - static_cast<std::ptrdiff_t>(count), values.end());
    ordered.insert(ordered.end(), values.begin(), values.end() - static_cast<std::ptrdiff_t>(count));
    keep({number, std::move(ordered), concat(message.where, ": assertion failed", text.empty() ? "" : ": ", text)});
  }
  context.report({message.kind, artifact.signature.name.c_str(), message.where.c_str(), text.c_str()});
}

/// Threads come in any order: the first failures are those of the first messages, and of the first places of the grid.
void Reporter::keep(Failure failure) {
  std::lock_guard lock(mutex);
  failures.insert(std::upper_bound(failures.begin(), failures.end(), failure), failure);
  if (failures.size() > mostFailures)
    failures.pop_back();
}
