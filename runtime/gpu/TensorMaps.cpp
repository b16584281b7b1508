#include "runtime/gpu/TensorMaps.h"

#include "runtime/Text.h"

#include <algorithm>

using namespace tilewright::runtime;

namespace {

constexpr int64_t standInBytes = 16; // for one element, and the alignment of a map's address

/// The view in memory as the map's boxes go through it. One without elements has one.
GpuTensor tensorOf(const BoundView &view, const ViewTensorMap &map, tw_dtype dtype) {
  GpuTensor tensor;
  tensor.dtype = dtype;
  tensor.rank = static_cast<unsigned>(map.order.size());
  tensor.swizzleBytes = map.swizzleBytes;
  tensor.roundsToTF32 = map.roundsToTF32;
  auto element = static_cast<uint64_t>(view.elementBytes);
  bool isEmpty = view.elements() == 0;
  for (unsigned k = 0; k < tensor.rank; ++k) {
    tensor.box[k] = map.box[k];
    tensor.extents[k] = isEmpty ? 1 : static_cast<uint64_t>(view.extents[map.order[k]]);
    if (k > 0 && tensor.extents[k] > 1)
      tensor.strides[k - 1] = static_cast<uint64_t>(view.strides[map.order[k]] * view.elementBytes);
    else if (k > 0) // no copy uses it, but the driver may look at it
      tensor.strides[k - 1] = k > 1 ? tensor.strides[k - 2] : (tensor.extents[0] * element + 15) / 16 * 16;
  }
  return tensor;
}

/// "f32, (64, 100) elements, strides (256) bytes, boxes of (32, 8), swizzle 128"
std::string text(const GpuTensor &tensor) {
  auto list = [](const auto &values, unsigned count) {
    std::string items;
    for (unsigned k = 0; k < count; ++k)
      items += concat(k ? ", " : "", values[k]);
    return concat('(', items, ')');
  };
  return concat(tw_dtype_name(tensor.dtype), ", ", list(tensor.extents, tensor.rank), " elements, strides ",
                list(tensor.strides, tensor.rank - 1), " bytes, boxes of ", list(tensor.box, tensor.rank), ", swizzle ",
                tensor.swizzleBytes);
}

} // namespace

Result<TensorMaps> TensorMaps::make(const BoundKernel &kernel, const std::shared_ptr<GpuDevice> &device,
                                    DeviceBuffer &standIns) {
  TensorMaps result;
  const Artifact &artifact = kernel.artifact();
  bool areAllThere = true;
  for (const ViewTensorMap &map : artifact.gpu.tensorMaps) {
    const BoundView &view = kernel.views()[map.parameter];
    Source &source = result.sources.emplace_back();
    source.tensor = tensorOf(view, map, dtypeNamed(artifact.signature.parameters[map.parameter].dtype));
    source.slot = kernel.firstSlot(map.parameter);
    source.isEmpty = view.elements() == 0;
    if (!source.isEmpty)
      source.tensor.address = reinterpret_cast<uintptr_t>(view.data);
    areAllThere &= source.tensor.address != 0;
  }
  if (!areAllThere) {
    int64_t bytes = static_cast<int64_t>(result.sources.size()) * standInBytes;
    Result<DeviceBuffer> memory = DeviceBuffer::allocate(device, bytes);
    if (!memory.ok())
      return memory.takeStatus();
    // Launches may come in streams that do not wait for this one.
    if (Status status = device->fill(memory->address(), 0, bytes, nullptr); !status.ok())
      return status;
    if (Status status = device->synchronize(nullptr); !status.ok())
      return status;
    standIns = std::move(*memory);
  }
  result.maps.resize(result.sources.size());
  for (size_t index = 0; index < result.maps.size(); ++index) {
    GpuTensor &tensor = result.sources[index].tensor;
    if (tensor.address == 0)
      tensor.address = standIns.address() + index * standInBytes;
    if (Status status = device->encodeTensorMap(tensor, result.maps[index]); !status.ok())
      return Status(status.code(), concat("kernel ", artifact.signature.name, ", parameter ",
                                          artifact.signature.parameters[artifact.gpu.tensorMaps[index].parameter].name,
                                          ": no tensor map of ", text(tensor), ": ", status.message()));
  }
  return result;
}

Status TensorMaps::move(size_t index, GpuAddress address, GpuDevice &device) {
  GpuTensor &tensor = sources[index].tensor;
  tensor.address = address;
  Status status = device.moveTensorMap(tensor, maps[index]);
  if (!status.ok())
    tensor.address = 0; // no view's: the next launch sets it again
  return status;
}
