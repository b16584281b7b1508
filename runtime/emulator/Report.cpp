#include "runtime/emulator/Report.h"

#include "runtime/Text.h"

#include <cstdio>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

std::string text(const Index3 &index) {
  return concat('(', index.x, ", ", index.y, ", ", index.z, ')');
}

std::string hexadecimal(uint64_t value) {
  char buffer[24];
  snprintf(buffer, sizeof(buffer), "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

} // namespace

std::string_view emulator::nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "out of bounds";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::ReadOnly:
    return "write to constant memory";
  case FaultKind::Uninitialized:
    return "uninitialized read";
  case FaultKind::Race:
    return "data race";
  case FaultKind::InFlight:
    return "access to a copy in flight";
  case FaultKind::Proxy:
    return "missing proxy fence";
  case FaultKind::Peer:
    return "access to a block that is not there";
  case FaultKind::Register:
    return "access to a register in flight";
  case FaultKind::Divergence:
    return "divergence";
  case FaultKind::Barrier:
    return "wrong use of a barrier";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::StepLimit:
    return "too many instructions";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Assertion:
    return "assertion failed";
  case FaultKind::Illegal:
    return "illegal instruction";
  }
  return "fault";
}

std::string Place::text() const {
  std::string where = file.empty() ? concat("PTX line ", ptxLine) : concat(file, ':', line);
  return concat(where, ", block ", ::text(block), ", thread ", ::text(thread));
}

std::string Fault::text() const {
  std::string result = concat(nameOf(kind), ": kernel ", kernel, " at ", place.text(), ": ", message);
  if (address)
    result += concat(" (address ", hexadecimal(*address), ')');
  result += concat("\n  PTX line ", place.ptxLine, ": ", place.ptxText);
  for (const Party &party : parties)
    result +=
        concat("\n  ", party.role, ": ", party.place.text(), "\n    PTX line ", party.place.ptxLine, ": ", party.place.ptxText);
  return result;
}
