#include "compiler/frontend/Builtins.h"

namespace tilewright::frontend {

namespace {
using typed::Op;
constexpr Builtin table[] = {
#define BUILTIN(name, kind, arity, op, integers, fast) {#name, BuiltinKind::kind, arity, op, integers, fast},
#include "compiler/frontend/Builtins.def"
#undef BUILTIN
};
} // namespace

std::span<const Builtin> builtins() {
  return table;
}

const Builtin *findBuiltin(std::string_view name) {
  for (const Builtin &builtin : table)
    if (builtin.name == name)
      return &builtin;
  return nullptr;
}

} // namespace tilewright::frontend
