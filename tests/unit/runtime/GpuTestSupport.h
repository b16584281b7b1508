// Hand-written kernels for a GPU (fake/Kernels.cu) as sources of the fake compiler.
#pragma once

#include "tests/unit/runtime/TestSupport.h"

#include <cmath>
#include <optional>

namespace tilewright::runtime::test {

inline json gpuSource(const json &kernel, const std::string &entry, const std::vector<std::string> &slots, json metadata) {
  metadata["threads"] = 32;
  metadata["shared_bytes"] = metadata.value("shared_bytes", 0);
  if (!metadata.contains("entries"))
    metadata["entries"] = {{"tiles", entry}, {"begin", nullptr}, {"finish", nullptr}};
  json result = source(kernel, "", slots, metadata);
  result["object"] = TILEWRIGHT_FAKE_SOURCES "/Kernels.ptx";
  return result;
}

inline json axis(const std::string &name, const json &low, const json &high, const json &by) {
  return {{"name", name}, {"low", low}, {"high", high}, {"span", true}, {"by", by}, {"parent", nullptr}};
}

inline json gpuAddSource(const std::string &entry = "add_tiles") {
  return gpuSource(kernel("add", {typeStatic("T", {"f32"})},
                          {view("a", "in", "T", {"N..."}), view("b", "in", "T", {"N..."}), view("c", "out", "T", {"N..."})}),
                   entry, {"N"}, {{"axes", {axis("n", 0, dim("N"), 64)}}, {"grid_axes", {"n"}}});
}

inline json gpuSumSource() {
  return gpuSource(kernel("column_sum", {},
                          {view("x", "in", "f32", {"M", "N"}), view("s", "out", "f32", {"N"}), scalar("scale", "f32", 1.0)}),
                   "", {"M", "N"},
                   {{"axes", {axis("i", 0, dim("M"), 1)}},
                    {"grid_axes", {"i"}},
                    {"entries", {{"tiles", "sum_tiles"}, {"begin", "sum_begin"}, {"finish", "sum_finish"}}},
                    {"sums", {{{"view", "s"}, {"kind", "add"}, {"dtype", "f32"}}}}});
}

inline json gpuRangesSource() {
  return gpuSource(
      kernel("ranges", {}, {view("first", "in", "i64", {"E"}), view("y", "out", "i64", {"N"})}), "ranges_tiles", {"E", "N"},
      {{"grid", "nested"},
       {"axes", {axis("e", 0, op("subtract", {dim("E"), 1}), 1), axis("i", {{"unknown", "i64"}}, {{"unknown", "i64"}}, 3)}},
       {"grid_axes", {"e"}}});
}

inline json gpuTalkSource() {
  return gpuSource(
      kernel("talk", {}, {scalar("limit", "i32", 1'000'000), view("x", "in", "i32", {"N"})}), "talk_tiles", {"N"},
      {{"axes", {axis("i", 0, dim("N"), 1)}},
       {"grid_axes", {"i"}},
       {"message_words", 7},
       {"messages",
        {{{"kind", "print"},
          {"parts", {{{"text", "x = "}}, {{"dtype", "i32"}}, {{"text", " (i = "}}, {{"dtype", "i64"}}, {{"text", ")"}}}},
          {"position", 1},
          {"where", "t.tile:2:3"}},
         {{"kind", "assert"},
          {"parts", {{{"text", "too far: "}}, {{"dtype", "i64"}}}},
          {"position", 1},
          {"where", "t.tile:3:3"}}}}});
}

/// A kernel of fake/TensorMaps.cu.
inline json gpuMapsSource(const json &kernel, const std::string &entry, const std::vector<std::string> &slots, json metadata) {
  metadata["shared_bytes"] = 4096;
  metadata["axes"] = {axis("n", 0, dim(slots.back()), 1)};
  metadata["grid_axes"] = {"n"};
  json result = gpuSource(kernel, entry, slots, metadata);
  result["object"] = TILEWRIGHT_FAKE_SOURCES "/TensorMaps.ptx";
  return result;
}

inline json tensorMap(int64_t view, std::vector<int64_t> order, std::vector<int64_t> box, int64_t swizzle = 0) {
  return {{"view", view}, {"order", order}, {"box", box}, {"swizzle", swizzle}};
}

/// The bytes of boxes of x.
inline json gpuBoxesSource(const json &map, bool isPacked = false, const std::string &dtype = "f32") {
  return gpuMapsSource(kernel("boxes", {},
                              {view("x", "in", dtype, {isPacked ? "M..." : "R", "C"}), view("y", "out", "i8", {"N", "B"}),
                               scalar("c", "i32", 0), scalar("r", "i32", 0)}),
                       isPacked ? "boxes3_tiles" : "boxes_tiles", {isPacked ? "M" : "R", "C", "B", "N"},
                       {{"tensor_maps", json::array({map})}});
}

/// Copies a box of 2 rows of 4 elements; the map of y is the first.
inline json gpuCopySource() {
  json maps = {tensorMap(1, {1, 0}, {4, 2}), tensorMap(0, {1, 0}, {4, 2})};
  json result = gpuMapsSource(
      kernel("copy", {}, {view("x", "in", "f32", {"R", "C"}), view("y", "out", "f32", {"R", "C"}), scalar("bytes", "i32", 32)}),
      "copy_tiles", {"R", "C"}, {{"tensor_maps", maps}});
  result["metadata"]["axes"] = {axis("n", 0, 1, 1)};
  return result;
}

inline json gpuWhoSource(int64_t residentBlocks) {
  return gpuMapsSource(kernel("who", {}, {view("y", "out", "i64", {"N"})}), "who_tiles", {"N"},
                       {{"resident_blocks", residentBlocks}});
}

inline Context makeGpuContext(const std::string &target = "emulator", ContextOptions options = {}) {
  options.target = target;
  return makeContext(2, options);
}

/// Device memory with these values.
template <typename T> DeviceMemory upload(const Context &context, const std::vector<T> &values) {
  tilewright::Result<DeviceMemory> memory = context.allocate(values.size() * sizeof(T));
  EXPECT_TRUE(memory.ok()) << memory.error().message();
  EXPECT_TRUE(memory->upload(values.data()).ok());
  return std::move(*memory);
}

template <typename T> std::vector<T> download(const DeviceMemory &memory) {
  std::vector<T> values(memory.bytes() / sizeof(T));
  EXPECT_TRUE(memory.download(values.data()).ok());
  return values;
}

template <typename T> std::string failureOf(const tilewright::Result<T> &result) {
  return result ? std::string() : std::string(result.error().message());
}

} // namespace tilewright::runtime::test
