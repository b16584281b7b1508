// A device with one module, for tests.
#pragma once

#include "runtime/Text.h"
#include "runtime/emulator/Device.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tilewright::runtime::emulator {

/// The text of programs/<name>.
inline std::string programText(const std::string &name) {
  std::ifstream file(std::string(TILEWRIGHT_PROGRAM_FOLDER) + '/' + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A module of one kernel `test` with these parameters and this body.
inline std::string kernelText(const std::string &parameters, const std::string &body, const std::string &before = {},
                              const std::string &target = "sm_90a") {
  return concat(".version 8.6\n.target ", target, "\n.address_size 64\n.file 1 \"test.tile\"\n", before,
                "\n.visible .entry test(", parameters, ")\n{\n", body, "\nret;\n}\n");
}

class Machine {
public:
  Machine(const std::string &name, const std::string &text) {
    auto loaded = device.load(name, text);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.status().message());
    if (loaded.ok())
      module = *loaded;
  }
  static Machine program(const std::string &name) { return Machine(name, programText(name)); }

  template <typename T> uint64_t upload(const std::vector<T> &values, const std::string &name = {}) {
    uint64_t address = *device.allocate(values.size() * sizeof(T), name);
    EXPECT_TRUE(device.copyToDevice(address, values.data(), values.size() * sizeof(T)).ok());
    return address;
  }
  template <typename T> std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(device.copyToHost(values.data(), address, count * sizeof(T)).ok());
    return values;
  }

  /// Launches and hands back the report; the call itself must be right.
  template <typename... Arguments>
  LaunchReport run(const std::string &kernel, LaunchShape shape, const Arguments &...arguments) {
    ParameterBuffer parameters;
    (parameters.add(arguments), ...);
    if (!module)
      return {};
    auto report = device.launch(*module, kernel, shape, parameters.get(), options);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.status().message());
    return report.ok() ? *report : LaunchReport();
  }
  /// The same, and no fault is expected.
  template <typename... Arguments>
  void runCleanly(const std::string &kernel, LaunchShape shape, const Arguments &...arguments) {
    LaunchReport report = run(kernel, shape, arguments...);
    EXPECT_TRUE(report.ok()) << report.text();
  }

  Device device;
  LaunchOptions options;
  std::shared_ptr<Module> module;
};

/// The d of an instruction such as "add.s32 %d, %a, %b;" for each set of inputs, thread by thread.
template <typename Result, typename... Inputs>
std::vector<Result> evaluate(const std::string &instruction, const std::vector<Inputs> &...inputs) {
  size_t count = std::get<0>(std::tie(inputs...)).size();
  std::string parameters = ".param .u64 result, .param .u32 count", body;
  body +=
      concat(".reg .pred %p<4>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<12>;\n.reg .b", sizeof(Result) * 8, " %d;\n",
             "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r0, %r0, %r1, %r2;\n",
             "ld.param.u32 %r1, [count];\nsetp.ge.u32 %p0, %r0, %r1;\n@%p0 bra done;\n");
  char name = 'a';
  auto load = [&](size_t bytes) {
    parameters += concat(", .param .u64 in_", name);
    body += concat(".reg .b", bytes * 8, " %", name, ";\nld.param.u64 %rd0, [in_", name, "];\nmad.wide.u32 %rd1, %r0, ", bytes,
                   ", %rd0;\nld.global.b", bytes * 8, " %", name, ", [%rd1];\n");
    ++name;
  };
  (load(sizeof(Inputs)), ...);
  body += concat(instruction, "\nld.param.u64 %rd0, [result];\nmad.wide.u32 %rd1, %r0, ", sizeof(Result),
                 ", %rd0;\nst.global.b", sizeof(Result) * 8, " [%rd1], %d;\ndone:");
  bool isLater = instruction.find("f32x2") != std::string::npos;
  Machine machine("evaluate", kernelText(parameters, body, {}, isLater ? "sm_100" : "sm_90a"));
  uint64_t result = machine.upload(std::vector<Result>(count));
  machine.runCleanly("test", {.grid = {static_cast<uint32_t>((count + 63) / 64)}, .block = {64}}, result,
                     static_cast<uint32_t>(count), machine.upload(inputs)...);
  return machine.download<Result>(result, count);
}

} // namespace tilewright::runtime::emulator
