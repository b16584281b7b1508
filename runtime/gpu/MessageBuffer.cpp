#include "runtime/gpu/MessageBuffer.h"

#include <algorithm>

using namespace tilewright::runtime;

namespace {

constexpr int64_t headWords = 2;

struct Record {
  int64_t message;
  std::span<const int64_t> values;
  std::vector<int64_t> position;
};

/// The position in the grid: the last values. The bits above a value's dtype are anything.
std::vector<int64_t> positionOf(const Message &message, std::span<const int64_t> values) {
  std::vector<tw_dtype> dtypes;
  for (const MessagePart &part : message.parts)
    if (part.dtype != TW_NO_DTYPE)
      dtypes.push_back(part.dtype);
  auto count = static_cast<size_t>(std::clamp<int64_t>(message.positionCount, 0, static_cast<int64_t>(values.size())));
  std::vector<int64_t> position;
  for (size_t index = values.size() - count; index < values.size(); ++index)
    position.push_back(index < dtypes.size() ? decode(values[index], dtypes[index]).integer : values[index]);
  return position;
}

std::vector<Record> recordsIn(std::span<const int64_t> words, const Artifact &artifact) {
  std::vector<Record> records;
  while (words.size() >= 2) {
    int64_t message = words[0], count = words[1];
    if (message < 0 || static_cast<size_t>(message) >= artifact.messages.size() || count < 0 ||
        static_cast<size_t>(count) > words.size() - 2)
      break; // here is the first that did not fit
    std::span<const int64_t> values = words.subspan(2, static_cast<size_t>(count));
    records.push_back({message, values, positionOf(artifact.messages[static_cast<size_t>(message)], values)});
    words = words.subspan(2 + static_cast<size_t>(count));
  }
  return records;
}

} // namespace

Result<MessageBuffer> MessageBuffer::make(std::shared_ptr<GpuDevice> device, int64_t words) {
  MessageBuffer buffer;
  Result<DeviceBuffer> memory = DeviceBuffer::allocate(device, words * 8);
  if (!memory.ok())
    return memory.takeStatus();
  buffer.device = std::move(device);
  buffer.memory = std::move(*memory);
  buffer.usedWords = words;
  return buffer;
}

Status MessageBuffer::clear(void *stream) {
  if (Status status = device->fill(address(), 0, headWords * 8, stream); !status.ok())
    return status;
  if (usedWords <= headWords)
    return {};
  Status status = device->fill(address() + headWords * 8, 0xff, (usedWords - headWords) * 8, stream);
  if (status.ok())
    usedWords = headWords;
  return status;
}

Status MessageBuffer::deliver(const Artifact &artifact, Reporter &reporter, void *stream, int64_t *lost) {
  int64_t wanted = 0;
  if (Status status = device->copyToHost(&wanted, address(), sizeof(wanted), stream); !status.ok())
    return status;
  int64_t room = words() - headWords;
  int64_t present = std::clamp<int64_t>(wanted, 0, room);
  *lost = std::max<int64_t>(wanted - room, 0);
  usedWords = headWords + present;
  host.resize(static_cast<size_t>(present));
  if (present > 0)
    if (Status status = device->copyToHost(host.data(), address() + headWords * 8, present * 8, stream); !status.ok())
      return status;
  std::vector<Record> records = recordsIn(host, artifact);
  std::stable_sort(records.begin(), records.end(), [](const Record &a, const Record &b) { return a.position < b.position; });
  for (const Record &record : records)
    reporter.take(record.message, record.values);
  return {};
}
