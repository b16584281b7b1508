// The small languages of the options: `--in x=x.npy:bf16`, `--random x=f32[512,256]:7`, `--bind T=f32,BM=64`,
// `--slice x=1:9:2,:`. This file takes texts apart; what the names mean is a matter of the kernel (see Arguments.h).
//
// Every function throws CommandError with exit code 2 where the text is wrong.
#pragma once

#include "compiler/tools/tilewright/DTypes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::tools {

/// `NAME=VALUE`. `option` ("--in") is for the message.
std::pair<std::string, std::string> parseAssignment(const std::string &option, const std::string &text);
/// `NAME=VALUE,NAME=VALUE…`.
std::vector<std::pair<std::string, std::string>> parseAssignments(const std::string &option, const std::string &text);

/// A path and, after a colon, how its elements are to be taken: `x.npy:bf16`.
struct FileSpec {
  std::string path;
  std::optional<DType> dtype;
};
FileSpec parseFileSpec(const std::string &text);

/// `x=f32[512,256]:7`. Without a seed it is 0.
struct RandomSpec {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  uint64_t seed = 0;
};
RandomSpec parseRandomSpec(const std::string &text);

/// The value of a scalar parameter: `42`, `0x2a`, `-3.5`, `1e-5`, `inf`, `true`.
struct Scalar {
  bool isInteger;
  int64_t integer = 0; ///< of an integer, or a bool: 0 or 1
  double real = 0;
};
Scalar parseScalar(const std::string &parameter, const std::string &text);
/// The same. `subject` begins the message: "--in x:".
Scalar parseNumber(const std::string &subject, const std::string &text);

/// One dimension of a slice as NumPy writes it: `3:7`, `::-1`, `:`.
struct Slice {
  std::optional<int64_t> start, stop;
  int64_t step = 1;
};
std::vector<Slice> parseSlices(const std::string &text);
std::vector<int64_t> parsePermutation(const std::string &text);

/// A whole number, decimal. `what` ("--dim N") is for the message.
int64_t parseInteger(const std::string &what, const std::string &text);

} // namespace tilewright::tools
