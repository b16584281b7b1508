// The tensor maps of a kernel that was bound to shapes (compiler_c.h: "tensor_maps"), as one launch after another needs them.
//
// A map has its view's address in it. Whoever launches has maps of its own: a copy of those that were made when the launch was
// prepared, in which only the addresses that differ from the launch before are set anew.
//
// A map of nothing is refused by every driver. So a view without elements has a map of one element, a zero in memory that no
// other map shares: what the kernel loads is zero, like all that lies outside of a view, and what it stores nobody reads.
#pragma once

#include "runtime/BoundKernel.h"
#include "runtime/gpu/DeviceBuffer.h"

#include <span>
#include <vector>

namespace tilewright::runtime {

class TensorMaps {
public:
  TensorMaps() = default;
  /// Views that have no address yet, too, get one in `standIns`, which must live as long as the maps.
  static Result<TensorMaps> make(const BoundKernel &kernel, const std::shared_ptr<GpuDevice> &device, DeviceBuffer &standIns);

  /// Gives every map the address of its view in the slots of a launch.
  Status follow(std::span<const int64_t> arguments, GpuDevice &device) {
    for (size_t index = 0; index < sources.size(); ++index) {
      const Source &source = sources[index];
      if (source.isEmpty || static_cast<GpuAddress>(arguments[source.slot]) == source.tensor.address)
        continue;
      if (Status status = move(index, static_cast<GpuAddress>(arguments[source.slot]), device); !status.ok())
        return status;
    }
    return {};
  }

  std::span<const GpuTensorMap> all() const { return maps; }

private:
  struct Source {
    GpuTensor tensor;
    size_t slot = 0; ///< of the view's address
    bool isEmpty = false;
  };

  Status move(size_t index, GpuAddress address, GpuDevice &device);

  std::vector<GpuTensorMap> maps;
  std::vector<Source> sources; ///< of each map
};

} // namespace tilewright::runtime
