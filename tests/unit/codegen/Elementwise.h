// A formula in the scalar dialects, compiled by the pipeline's last phases and applied to arrays: on the processor at hand, or
// as PTX on the emulator.
#pragma once

#include "compiler/pipeline/GpuTarget.h"
#include "compiler/pipeline/Target.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::test {

using Processor = std::variant<compiler::CpuTarget, compiler::GpuTarget>;

/// "cpu", or the name of a GPU's architecture.
Processor processorNamed(const std::string &name);

/// `body` computes %r of the type `out` from %a and %b of the type `in`.
struct Formula {
  std::string in, out, body;
};

class Elementwise {
public:
  /// Null, with a reason, if a step fails.
  static std::unique_ptr<Elementwise> compile(const Formula &formula, const Processor &processor, std::string &error);
  virtual ~Elementwise() = default;

  template <typename In, typename Out> void run(std::vector<In> &a, std::vector<In> &b, std::vector<Out> &r) {
    run(a.data(), b.data(), r.data(), r.size(), sizeof(In), sizeof(Out));
  }

protected:
  virtual void run(void *a, void *b, void *r, size_t count, size_t inBytes, size_t outBytes) = 0;
};

} // namespace tilewright::test
