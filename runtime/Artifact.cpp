#include "runtime/Artifact.h"

#include "runtime/Text.h"
#include "runtime/gpu/GpuTensorMap.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime;
using nlohmann::json;

namespace {

constexpr size_t headerBytes = 24;
constexpr int64_t mostGridVariables = 1024;
constexpr int64_t mostScratchBytes = int64_t(1) << 32;
constexpr size_t mostTensorMaps = 24; // with the slots of any kernel they fit in the 4 KB of parameters that every driver takes

Status damaged(std::string message) {
  return Status(TW_DAMAGED_ARTIFACT, std::move(message));
}

class ArtifactReader {
public:
  ArtifactReader(const json &tree, Artifact &artifact) : tree(tree), artifact(artifact) {}

  Status read() {
    if (Status status = readHead(); !status.ok())
      return status;
    if (Status status = readFacts(); !status.ok())
      return status;
    if (Status status = readSums(); !status.ok())
      return status;
    if (Status status = readMessages(); !status.ok())
      return status;
    if (artifact.isForGpu())
      if (Status status = readTensorMaps(); !status.ok())
        return status;
    Result<LaunchProgram> program = LaunchProgram::parse(tree, artifact.signature, artifact.constants);
    if (!program.ok())
      return program.takeStatus();
    artifact.program = std::move(*program);
    return {};
  }

private:
  Status readHead() {
    std::vector<std::string> slots;
    if (Status status = readTexts(tree, "dimensions", slots); !status.ok())
      return status;
    artifact.slotCount = slots.size();
    if (Status status =
            readNumbers("constants", [&](const std::string &name, int64_t value) { artifact.constants[name] = value; });
        !status.ok())
      return status;
    for (const auto &[name, value] : artifact.constants)
      slots.push_back(name);
    Result<Signature> signature = Signature::parse(tree, slots);
    if (!signature.ok())
      return signature.takeStatus();
    artifact.signature = std::move(*signature);
    for (const Parameter &parameter : artifact.signature.parameters)
      if (dtypeNamed(parameter.dtype) == TW_NO_DTYPE)
        return damaged(concat("parameter ", parameter.name, " has the unresolved dtype ", parameter.dtype));

    if (Status status = readText(tree, "target", artifact.target); !status.ok())
      return status;
    if (Status status = readOptionalText(tree, "processor", artifact.processor); !status.ok())
      return status;
    if (Status status = readTexts(tree, "features", artifact.features); !status.ok())
      return status;
    if (Status status = readBoolean(tree, "checked", artifact.checked); !status.ok())
      return status;
    if (Status status =
            readNumbers("chosen", [&](const std::string &name, int64_t value) { artifact.chosen.emplace_back(name, value); });
        !status.ok())
      return status;
    std::string grid;
    if (Status status = readText(tree, "grid", grid); !status.ok())
      return status;
    if (artifact.isForGpu())
      return readGpu(grid);
    if (grid != "product" && grid != "listed")
      return damaged(concat("the grid is neither a product nor listed, but ", grid));
    artifact.isListed = grid == "listed";
    if (Status status = readInteger(tree, "scratch", artifact.scratchBytes); !status.ok())
      return status;
    if (artifact.scratchBytes < 0 || artifact.scratchBytes > mostScratchBytes)
      return damaged(concat("scratch memory of ", artifact.scratchBytes, " bytes"));
    return readGridVariables();
  }

  Status readGpu(const std::string &grid) {
    if (grid != "product" && grid != "nested")
      return damaged(concat("the grid is neither a product nor nested, but ", grid));
    GpuArtifact &gpu = artifact.gpu;
    gpu.isNested = grid == "nested";
    auto entries = tree.find("entries");
    if (entries == tree.end() || !entries->is_object())
      return damaged("\"entries\" is missing");
    auto readEntry = [&](const char *key, std::string &to) {
      auto entry = entries->find(key);
      return entry == entries->end() || entry->is_null() ? Status() : readText(*entries, key, to);
    };
    if (Status status = readText(*entries, "tiles", gpu.tiles); !status.ok())
      return status;
    if (Status status = readEntry("begin", gpu.begin); !status.ok())
      return status;
    if (Status status = readEntry("finish", gpu.finish); !status.ok())
      return status;
    auto readAmount = [&](const char *key, int64_t low, int64_t high, int64_t &to) -> Status {
      if (Status status = readInteger(tree, key, to); !status.ok())
        return status;
      return to < low || to > high ? damaged(concat("\"", key, "\" is ", to)) : Status();
    };
    if (Status status = readAmount("threads", 1, 1024, gpu.threads); !status.ok())
      return status;
    if (Status status = readAmount("shared_bytes", 0, int64_t(1) << 20, gpu.sharedBytes); !status.ok())
      return status;
    if (Status status = readAmount("message_words", 0, int64_t(1) << 20, gpu.messageWords); !status.ok())
      return status;
    if (Status status = readAmount("resident_blocks", 0, 32, gpu.residentBlocks); !status.ok())
      return status;
    if (tree.contains("cluster_blocks"))
      if (Status status = readAmount("cluster_blocks", 1, 8, gpu.clusterBlocks); !status.ok())
        return status;
    if (gpu.clusterBlocks > 1 && gpu.residentBlocks == 0)
      return damaged("blocks of a cluster have a tile together, and they are not resident");
    if (gpu.residentBlocks > 0 && gpu.isNested)
      return damaged("the grid is nested, and \"resident_blocks\" are for a product");
    return readCudaFunctions(gpu.functions);
  }

  Status readCudaFunctions(cuda::CudaSource &functions) {
    auto source = tree.find("cuda");
    if (source == tree.end() || source->is_null())
      return {};
    if (Status status = readText(*source, "text", functions.text); !status.ok())
      return status;
    const json *headers = findArray(*source, "headers");
    if (!headers)
      return {};
    for (const json &header : *headers) {
      auto &[name, text] = functions.headers.emplace_back();
      if (Status status = readText(header, "name", name); !status.ok())
        return status;
      if (Status status = readText(header, "text", text); !status.ok())
        return status;
    }
    return {};
  }

  /// Only lists have a coordinate for each.
  Status readGridVariables() {
    int64_t variables = -1;
    if (Status status = readInteger(tree, "grid_variables", variables); !status.ok())
      return status;
    if (artifact.isListed && (variables < 0 || variables > mostGridVariables))
      return damaged(variables < 0 ? std::string("the grid is listed, and \"grid_variables\" is missing")
                                   : concat("a grid of ", variables, " variables"));
    artifact.gridVariables = static_cast<size_t>(std::max<int64_t>(variables, 0));
    return {};
  }

  /// An object of integers.
  template <typename Visit> Status readNumbers(const char *key, Visit visit) {
    auto found = tree.find(key);
    if (found == tree.end() || found->is_null())
      return {};
    if (!found->is_object())
      return damaged(concat("\"", key, "\" in the metadata is not an object"));
    for (auto entry = found->begin(); entry != found->end(); ++entry) {
      const json &value = *entry;
      if (value.is_boolean())
        visit(entry.key(), int64_t(value == true));
      else if (value.is_number_integer())
        visit(entry.key(), static_cast<int64_t>(value));
      else if (std::string_view(key) != "constants") // those may be floats, which no dimension needs
        return damaged(concat("\"", key, "\" in the metadata has a value that is not an integer"));
    }
    return {};
  }

  Status readFacts() {
    size_t count = artifact.signature.parameters.size();
    artifact.present.assign(count, true);
    artifact.packRank.assign(count, 1);
    artifact.packRun.assign(count, 1);
    artifact.alignment.assign(count, 1);
    artifact.unitStride.assign(count, -1);
    Status unknown;
    auto into = [&](auto &list, int64_t low, int64_t high) {
      return [&, low, high](const std::string &name, int64_t value) {
        const Parameter *parameter = artifact.signature.findParameter(name);
        if (!parameter || !parameter->isView() || value < low || value > high) {
          unknown = damaged(concat("a fact about ", name, " is damaged"));
          return;
        }
        list[static_cast<size_t>(parameter - artifact.signature.parameters.data())] = static_cast<int32_t>(value);
      };
    };
    if (Status status = readNumbers("present", into(artifact.present, 0, 1)); !status.ok())
      return status;
    if (Status status = readNumbers("pack_rank", into(artifact.packRank, 1, TW_MAX_RANK)); !status.ok())
      return status;
    if (Status status = readNumbers("pack_run", into(artifact.packRun, 1, ViewFacts::longestPackRun)); !status.ok())
      return status;
    if (Status status = readNumbers("alignment", into(artifact.alignment, 1, 4096)); !status.ok())
      return status;
    if (Status status = readNumbers("unit_stride", into(artifact.unitStride, -1, TW_MAX_RANK)); !status.ok())
      return status;
    return unknown;
  }

  Status readSums() {
    const json *sums = findArray(tree, "sums");
    if (!sums)
      return {};
    for (const json &element : *sums) {
      std::string view, dtype;
      if (Status status = readText(element, "view", view); !status.ok())
        return status;
      if (Status status = readText(element, "dtype", dtype); !status.ok())
        return status;
      const Parameter *parameter = artifact.signature.findParameter(view);
      Sum sum = {0, dtypeNamed(dtype)};
      if (!parameter || !parameter->isWritten() || sum.dtype == TW_NO_DTYPE)
        return damaged(concat("a sum over tiles is damaged: ", view, " in ", dtype));
      sum.parameter = static_cast<size_t>(parameter - artifact.signature.parameters.data());
      if (!artifact.present[sum.parameter])
        return damaged(concat("a sum over tiles goes to ", view, ", which is absent"));
      artifact.sums.push_back(sum);
    }
    return {};
  }

  Status readMessages() {
    const json *messages = findArray(tree, "messages");
    if (!messages)
      return {};
    for (const json &element : *messages) {
      Message &message = artifact.messages.emplace_back();
      std::string kind;
      if (Status status = readText(element, "kind", kind); !status.ok())
        return status;
      if (kind != "print" && kind != "assert")
        return damaged(concat("a message of the unknown kind ", kind));
      message.kind = kind == "print" ? TW_REPORT_PRINT : TW_REPORT_ASSERT;
      if (Status status = readOptionalText(element, "where", message.where); !status.ok())
        return status;
      if (Status status = readInteger(element, "position", message.positionCount); !status.ok())
        return status;
      const json *parts = findArray(element, "parts");
      if (!parts)
        continue;
      for (const json &part : *parts) {
        MessagePart &to = message.parts.emplace_back();
        std::string dtype;
        if (Status status = readOptionalText(part, "dtype", dtype); !status.ok())
          return status;
        if (Status status = readOptionalText(part, "text", to.text); !status.ok())
          return status;
        to.dtype = dtypeNamed(dtype);
        if (to.dtype == TW_NO_DTYPE && !dtype.empty())
          return damaged(concat("a message has a value of the unknown dtype ", dtype));
      }
    }
    return {};
  }

  /// After the facts and the sums.
  Status readTensorMaps() {
    GpuArtifact &gpu = artifact.gpu;
    if (gpu.residentBlocks > 0 && !artifact.sums.empty())
      return damaged("the kernel sums over tiles, and its blocks are resident");
    const json *maps = findArray(tree, "tensor_maps");
    if (!maps)
      return tree.contains("tensor_maps") ? damaged("\"tensor_maps\" is not a list") : Status();
    if (maps->size() > mostTensorMaps)
      return damaged(concat(maps->size(), " tensor maps, and there may be ", mostTensorMaps));
    for (const json &element : *maps) {
      ViewTensorMap map;
      std::string message = readTensorMap(element, map);
      if (!message.empty())
        return damaged(concat("tensor map ", gpu.tensorMaps.size(), ": ", message));
      gpu.tensorMaps.push_back(std::move(map));
    }
    return {};
  }

  /// What is wrong with it: "" if nothing is.
  std::string readTensorMap(const json &element, ViewTensorMap &map) const {
    int64_t view = -1;
    const std::vector<Parameter> &parameters = artifact.signature.parameters;
    bool isRead = readInteger(element, "view", view).ok() && view >= 0 && view < static_cast<int64_t>(parameters.size());
    map.parameter = static_cast<size_t>(view);
    if (!isRead || !parameters[map.parameter].isView() || !artifact.present[map.parameter])
      return concat("parameter ", view, " is no view that is present");
    if (int32_t alignment = artifact.alignment[map.parameter]; alignment < 16)
      return concat("view ", parameters[map.parameter].name, " is aligned to ", alignment, " bytes, and a map needs 16");
    std::string message = readOrder(element, map);
    return message.empty() ? readBox(element, map) : message;
  }

  std::string readOrder(const json &element, ViewTensorMap &map) const {
    const Parameter &parameter = artifact.signature.parameters[map.parameter];
    size_t more = 0; // dimensions that M... has in memory, but for one
    if (parameter.packPosition != SIZE_MAX)
      more = static_cast<size_t>(artifact.packRank[map.parameter]) - 1;
    size_t rank = parameter.dimensions.size() + more;
    if (rank == 0 || rank > GpuTensor::mostDimensions)
      return concat("view ", parameter.name, " has ", rank, " dimensions, and a map 1 to ", GpuTensor::mostDimensions);
    std::vector<int64_t> order = numbersIn(element, "order"), sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool isPermutation = order.size() == rank;
    for (size_t index = 0; isPermutation && index < rank; ++index)
      isPermutation = sorted[index] == static_cast<int64_t>(index);
    if (!isPermutation)
      return concat("\"order\" does not name each of the ", rank, " dimensions of view ", parameter.name);
    int64_t unit = artifact.unitStride[map.parameter]; // declared: of M... the last one in memory
    if (unit >= 0 && static_cast<size_t>(unit) >= parameter.packPosition)
      unit += static_cast<int64_t>(more);
    if (order[0] != unit)
      return concat("dimension ", order[0], " of view ", parameter.name,
                    " is the fastest, and its stride is not known to be 1");
    map.order.assign(order.begin(), order.end());
    return {};
  }

  std::string readBox(const json &element, ViewTensorMap &map) const {
    std::vector<int64_t> box = numbersIn(element, "box");
    auto isExtent = [](int64_t extent) { return extent >= 1 && extent <= 256; };
    if (box.size() != map.order.size() || !std::all_of(box.begin(), box.end(), isExtent))
      return concat("\"box\" is not ", map.order.size(), " extents of 1 to 256");
    map.box.assign(box.begin(), box.end());
    const Parameter &parameter = artifact.signature.parameters[map.parameter];
    int64_t rowBytes = box[0] * static_cast<int64_t>(tw_dtype_bytes(dtypeNamed(parameter.dtype)));
    if (rowBytes % 16 != 0)
      return concat("the box's rows have ", rowBytes, " bytes, which is not a multiple of 16");
    int64_t swizzle = -1;
    if (!readInteger(element, "swizzle", swizzle).ok() || (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128))
      return concat("\"swizzle\" is ", swizzle);
    if (swizzle != 0 && rowBytes > swizzle)
      return concat("the box's rows have ", rowBytes, " bytes, more than the swizzle's ", swizzle);
    map.swizzleBytes = static_cast<unsigned>(swizzle);
    if (auto tf32 = element.find("tf32"); tf32 != element.end()) {
      if (!tf32->is_boolean() || (*tf32 && dtypeNamed(parameter.dtype) != TW_F32))
        return concat("\"tf32\" is ", tf32->dump(), ", of elements of ", parameter.dtype);
      map.roundsToTF32 = *tf32;
    }
    return {};
  }

  /// -1 for what is no integer.
  static std::vector<int64_t> numbersIn(const json &element, const char *key) {
    std::vector<int64_t> values;
    if (const json *list = findArray(element, key))
      for (const json &value : *list)
        values.push_back(value.is_number_integer() ? static_cast<int64_t>(value) : -1);
    return values;
  }

  const json &tree;
  Artifact &artifact;
};

} // namespace

Result<Artifact> Artifact::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < headerBytes || std::memcmp(bytes.data(), "TWARTIF1", 8) != 0)
    return damaged("these bytes are no artifact of this version");
  uint64_t metadataBytes, codeBytes;
  std::memcpy(&metadataBytes, bytes.data() + 8, 8);
  std::memcpy(&codeBytes, bytes.data() + 16, 8);
  uint64_t rest = bytes.size() - headerBytes;
  if (metadataBytes > rest || codeBytes != rest - metadataBytes)
    return damaged(concat("the artifact has ", bytes.size(), " bytes, which is not what its header says"));

  const char *text = reinterpret_cast<const char *>(bytes.data() + headerBytes);
  json tree = json::parse(text, text + metadataBytes, nullptr, /*allow_exceptions=*/false);
  if (!tree.is_object())
    return damaged("the artifact's metadata is no JSON object");
  Artifact artifact;
  if (Status status = ArtifactReader(tree, artifact).read(); !status.ok())
    return damaged(concat("the artifact is damaged: ", status.message()));
  artifact.code = bytes.subspan(headerBytes + metadataBytes);
  return artifact;
}
