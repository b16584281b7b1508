// Where a kernel on a GPU writes its prints and failed checks (compiler_c.h: "Message buffer").
//
// Blocks append records in whatever order they run. The host reads them when the launch is over and delivers them in the order
// of their places in the grid. Memory that no record reached holds all ones, so that what was written is told from what did not
// fit.
#pragma once

#include "runtime/Reporter.h"
#include "runtime/gpu/DeviceBuffer.h"

#include <vector>

namespace tilewright::runtime {

class MessageBuffer {
public:
  MessageBuffer() = default;
  static Result<MessageBuffer> make(std::shared_ptr<GpuDevice> device, int64_t words);

  GpuAddress address() const { return memory.address(); }
  int64_t words() const { return memory.size() / 8; }
  int64_t bytes() const { return memory.size(); }

  Status clear(void *stream);
  /// Waits for the stream, and hands every record to the reporter. *lost: how many words found no room.
  Status deliver(const Artifact &artifact, Reporter &reporter, void *stream, int64_t *lost);

private:
  std::shared_ptr<GpuDevice> device;
  DeviceBuffer memory;
  int64_t usedWords = 0; ///< that may hold something else than ones
  std::vector<int64_t> host;
};

} // namespace tilewright::runtime
