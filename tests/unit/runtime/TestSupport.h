// Signatures, artifacts and sources for the fake compiler, in few words.
#pragma once

#include "runtime/Signature.h"
#include "tilewright/tilewright.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tilewright::runtime::test {

using nlohmann::json;

inline json dim(const std::string &name) {
  return {{"dim", name}};
}
inline json op(const std::string &name, std::vector<json> arguments) {
  return {{"op", name}, {"args", arguments}};
}

/// "K", "M..." ; or {"P", value} for a definition, value for an expression.
inline json dimension(const json &declared) {
  if (declared.is_string()) {
    std::string text = declared;
    if (text.ends_with("..."))
      return {{"kind", "pack"}, {"name", text.substr(0, text.size() - 3)}};
    return {{"kind", "name"}, {"name", text}};
  }
  if (declared.is_array())
    return {{"kind", "definition"}, {"name", declared[0]}, {"value", declared[1]}};
  return {{"kind", "expression"}, {"value", declared}};
}

inline json view(const std::string &name, const std::string &access, const std::string &dtype, std::vector<json> dimensions,
                 bool optional = false) {
  json list = json::array();
  for (const json &declared : dimensions)
    list.push_back(dimension(declared));
  return {{"name", name}, {"kind", "view"}, {"access", access}, {"dtype", dtype}, {"optional", optional}, {"dimensions", list}};
}

inline json scalar(const std::string &name, const std::string &dtype, const json &value = nullptr) {
  return {{"name", name}, {"kind", "scalar"}, {"dtype", dtype}, {"default", value}};
}

inline json typeStatic(const std::string &name, std::vector<std::string> dtypes) {
  return {{"name", name}, {"kind", "type"}, {"dtypes", dtypes}, {"default", nullptr}};
}

inline json kernel(const std::string &name, std::vector<json> statics, std::vector<json> parameters,
                   std::vector<std::string> tunables = {}) {
  return {{"name", name}, {"documentation", ""}, {"statics", statics}, {"parameters", parameters}, {"tunables", tunables}};
}

inline Signature signatureOf(const json &tree, const std::vector<std::string> &slots = {}) {
  Result<Signature> signature = Signature::parse(tree, slots);
  EXPECT_TRUE(signature.ok()) << signature.status().message();
  return std::move(*signature);
}

/// kernel linear<T: f32 | f16, act = identity>(x: T[M..., K], w: T[N, K], b: T[N]?, y: out T[M..., N], eps: f32 = 0.5)
inline json linearSignature() {
  return kernel("linear", {typeStatic("T", {"f32", "f16"}), {{"name", "act"}, {"kind", "function"}, {"default", "identity"}}},
                {view("x", "in", "T", {"M...", "K"}), view("w", "in", "T", {"N", "K"}), view("b", "in", "T", {"N"}, true),
                 view("y", "out", "T", {"M...", "N"}), scalar("eps", "f32", 0.5)},
                {"BM", "BN"});
}

inline std::string fakeFile(const std::string &name) {
  return std::string(TILEWRIGHT_FAKE_FOLDER "/") + name + ".so";
}

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A source of the fake compiler whose one kernel is made of the hand-written code `object`.
inline json source(const json &kernel, const std::string &object, const std::vector<std::string> &slots,
                   json metadata = json::object()) {
  metadata["dimensions"] = slots;
  return {{"kernels", {kernel}}, {"metadata", metadata}, {"object", fakeFile(object)}};
}

inline json addSource() {
  return source(kernel("add", {typeStatic("T", {"f32"})},
                       {view("a", "in", "T", {"N..."}), view("b", "in", "T", {"N..."}), view("c", "out", "T", {"N..."})}),
                "Add", {"N"});
}

inline json sumSource() {
  return source(kernel("column_sum", {},
                       {view("x", "in", "f32", {"M", "N"}), view("s", "out", "f32", {"N"}), scalar("scale", "f32", 1.0)}),
                "Sum", {"M", "N"},
                {{"scratch", 64}, {"sums", {{{"view", "s"}, {"kind", "add"}, {"dtype", "f32"}}}}});
}

inline Context makeContext(int threads = 2, ContextOptions options = {}) {
  options.compilerLibrary = fakeFile("Compiler");
  options.threads = threads;
  tilewright::Result<Context> context = Context::create(options);
  EXPECT_TRUE(context.ok());
  return std::move(*context);
}

inline tilewright::Kernel makeKernel(const Context &context, const json &source) {
  tilewright::Result<tilewright::Module> module = context.parse("test.tile", source.dump());
  EXPECT_TRUE(module.ok()) << module.error().message();
  tilewright::Result<tilewright::Kernel> kernel = module->kernel();
  EXPECT_TRUE(kernel.ok()) << kernel.error().message();
  return std::move(*kernel);
}

/// How often this thread has called operator new (AllocationCounter.cpp).
int allocationsOfThisThread();

/// What the fake compiler has been asked, over all tests of this process.
struct FakeCompiler {
  FakeCompiler() : handle(dlopen(fakeFile("Compiler").c_str(), RTLD_LAZY | RTLD_LOCAL)) {}
  int compilations() const { return reinterpret_cast<int (*)()>(dlsym(handle, "fake_compiler_compilations"))(); }
  int openHandles() const { return reinterpret_cast<int (*)()>(dlsym(handle, "fake_compiler_open_handles"))(); }
  json lastOptions() const {
    return json::parse(reinterpret_cast<const char *(*)()>(dlsym(handle, "fake_compiler_last_options"))());
  }
  void *handle;
};

} // namespace tilewright::runtime::test
