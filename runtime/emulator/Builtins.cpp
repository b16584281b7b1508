#include "runtime/emulator/Builtins.h"

#include "runtime/Text.h"
#include "runtime/emulator/Block.h"

#include <cstdio>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// One lane's call: its arguments are in the caller's local memory.
class LaneCall {
public:
  LaneCall(Warp &warp, const Instruction &instruction, unsigned lane)
      : warp(warp), instruction(instruction), call(warp.program.calls[instruction.detail]), lane(lane) {}

  template <typename T> T argument(size_t index) const {
    T value{};
    if (index < call.arguments.size())
      memcpy(&value, warp.local(lane, call.arguments[index]), sizeof(T));
    return value;
  }

  void setResult(uint32_t value) {
    if (!call.results.empty())
      memcpy(warp.local(lane, call.results[0]), &value, 4);
  }

  /// A value at a generic address; false after a fault.
  template <typename T> bool read(uint64_t address, T &value) {
    const std::byte *from = warp.access(instruction, lane, Space::Generic, address, sizeof(T), ReadAccess);
    if (from)
      memcpy(&value, from, sizeof(T));
    return from != nullptr;
  }

  bool text(uint64_t address, std::string &result) {
    for (char character;; result += character, ++address) {
      if (!read(address, character))
        return false;
      if (!character)
        return true;
    }
  }

private:
  Warp &warp;
  const Instruction &instruction;
  const Call &call;
  unsigned lane;
};

/// One conversion of a format: "%-8.3f" or "%llu" ends at the letter.
std::string conversionAt(const std::string &format, size_t at) {
  size_t end = format.find_first_of("diouxXeEfFgGaAcsp%", at + 1);
  return format.substr(at, end == std::string::npos ? end : end - at + 1);
}

bool formatOne(LaneCall &call, const std::string &conversion, uint64_t &arguments, std::string &to) {
  char buffer[512];
  char letter = conversion.back();
  auto next = [&]<typename T>(T &value) {
    arguments = (arguments + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bool ok = call.read(arguments, value);
    arguments += sizeof(T);
    return ok;
  };
  if (letter == '%') {
    to += '%';
    return true;
  }
  if (letter == 's') {
    uint64_t address = 0;
    std::string text;
    if (!next(address) || !call.text(address, text))
      return false;
    snprintf(buffer, sizeof(buffer), conversion.c_str(), text.c_str());
  } else if (std::string_view("eEfFgGaA").find(letter) != std::string_view::npos) {
    double value = 0;
    if (!next(value))
      return false;
    snprintf(buffer, sizeof(buffer), conversion.c_str(), value);
  } else if (letter == 'p' || conversion.find('l') != std::string::npos) {
    uint64_t value = 0;
    if (!next(value))
      return false;
    snprintf(buffer, sizeof(buffer), conversion.c_str(), value);
  } else {
    uint32_t value = 0;
    if (!next(value))
      return false;
    snprintf(buffer, sizeof(buffer), conversion.c_str(), value);
  }
  to += buffer;
  return true;
}

bool print(LaneCall &call, std::string &output) {
  std::string format;
  if (!call.text(call.argument<uint64_t>(0), format))
    return false;
  uint64_t arguments = call.argument<uint64_t>(1);
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      output += format[at++];
      continue;
    }
    std::string conversion = conversionAt(format, at);
    at += conversion.size();
    if (conversion.size() > 1 && !formatOne(call, conversion, arguments, output))
      return false;
  }
  return true;
}

Outcome printAll(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  Launch &launch = warp.block.launch;
  for (unsigned lane : lanesOf(lanes)) {
    LaneCall call(warp, instruction, lane);
    std::string output;
    if (!print(call, output))
      return Outcome::Fault;
    call.setResult(0);
    std::lock_guard lock(launch.printing);
    if (launch.options.print)
      launch.options.print(output);
    else
      fwrite(output.data(), 1, output.size(), stdout);
  }
  return Outcome::Next;
}

/// __assertfail(message, file, line, function, character size)
Outcome assertFail(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
  LaneCall call(warp, instruction, lane);
  std::string message, file, function;
  if (!call.text(call.argument<uint64_t>(0), message) || !call.text(call.argument<uint64_t>(1), file) ||
      !call.text(call.argument<uint64_t>(3), function))
    return Outcome::Fault;
  return warp.fault(FaultKind::Assertion, instruction, lane,
                    concat(file, ':', call.argument<uint32_t>(2), ": ", function, ": ", message));
}

} // namespace

Outcome emulator::callBuiltin(Warp &warp, const Instruction &instruction, const Function &callee, uint32_t lanes) {
  if (callee.name == "vprintf")
    return printAll(warp, instruction, lanes);
  if (callee.name == "__assertfail")
    return assertFail(warp, instruction, lanes);
  return warp.fault(FaultKind::Illegal, instruction, static_cast<unsigned>(std::countr_zero(lanes)),
                    concat("function ", callee.name, " is declared and not defined"));
}
