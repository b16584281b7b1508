#include "tests/benchmarks/gpu/Options.h"

#include "tests/benchmarks/gpu/Failure.h"
#include "tests/benchmarks/gpu/LinearKinds.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

namespace benchmarks {

namespace {

MatrixSize parseSize(const std::string &text) {
  MatrixSize size;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%ldx%ld%c", &size.rows, &size.columns, &rest) != 2 || size.rows < 1 || size.columns < 1)
    throw Failure("expected ROWSxCOLUMNS, as in 16384x4096, found " + text);
  return size;
}

AttentionShape parseAttentionShape(const std::string &text) {
  AttentionShape shape;
  char rest = 0;
  bool isWhole = std::sscanf(text.c_str(), "%ldx%ldx%ldx%ld%c", &shape.batch, &shape.heads, &shape.positions, &shape.channels, &rest) == 4;
  if (!isWhole || std::min({shape.batch, shape.heads, shape.positions, shape.channels}) < 1)
    throw Failure("expected BATCHxHEADSxPOSITIONSxCHANNELS, as in 4x16x4096x128, found " + text);
  return shape;
}

LayerSize parseLayer(const std::string &text) {
  LayerSize size;
  char rest = 0;
  bool isWhole = std::sscanf(text.c_str(), "%ldx%ldx%ld%c", &size.rows, &size.columns, &size.depth, &rest) == 3;
  if (!isWhole || std::min({size.rows, size.columns, size.depth}) < 1)
    throw Failure("expected ROWSxCOLUMNSxDEPTH, as in 4096x4096x1024, found " + text);
  return size;
}

std::pair<std::string, std::string> parseTunable(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Failure("expected NAME=SIZE, as in BN=96, found " + text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Takes a list apart by commas; it replaces what stands in `to`.
template <typename T>
CLI::Option *addList(CLI::App &program, const std::string &name, std::vector<T> &to, T (*parse)(const std::string &),
                     const std::string &about) {
  auto read = [name, &to, parse](const std::vector<std::string> &texts) {
    to.clear();
    for (const std::string &text : texts)
      try {
        to.push_back(parse(text));
      } catch (const Failure &failure) {
        throw CLI::ValidationError(name, failure.what());
      }
  };
  return program.add_option_function<std::vector<std::string>>(name, read, about)->allow_extra_args(false)->delimiter(',');
}

void addGeneral(CLI::App &program, Options &options) {
  program.add_option("--cases", options.cases, "Only cases whose name, `PART: CASE`, contains this")->type_name("TEXT");
  program.add_option("--rounds", options.rounds, "How often each launch is timed")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  program.add_option("--flush", options.flushMegabytes, "MiB that are written before each timed launch; 0: caches stay warm")
      ->check(CLI::Range(0, 16'384))
      ->capture_default_str();
  program.add_option("--limit", options.limitSeconds, "Seconds after which no further case begins")->check(CLI::PositiveNumber);
  program.add_option("--json", options.json, "A file that each case's line is added to as soon as it is known")
      ->type_name("FILE");
}

void addLinear(CLI::App &program, Options &options) {
  std::string names;
  for (const std::string &name : namesOf(knownShapes()))
    names += (names.empty() ? "" : ", ") + name;
  addList(program, "--shapes", options.shapes, parseShape,
          "linear: MxNxK, MxNxK/INNER (x lies as [M / INNER, K, INNER]), or " + names);
  program.add_option("--offset", options.offset, "linear: elements by which arrays begin beyond an address of 256 bytes")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  program.add_option("--dtypes", options.kinds, "linear: of the operands")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(namesOf(linearKinds())))
      ->capture_default_str();
  program.add_option("--epilogues", options.epilogues, "linear: all but none follow a bias; without any, all of them")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(namesOf(linearEpilogues())));
  program
      .add_option("--schedule", options.schedules, "linear, attention, gradient: a schedule in place of the compiler's; may be given several times")
      ->allow_extra_args(false)
      ->type_name("TEXT")
      ->default_str("the compiler's");
  addList(program, "--tiles", options.tiles, parseTile,
          "linear: ROWSxCOLUMNSxDEPTH in place of the compiler's block sizes, which are `chosen`")
      ->default_str("chosen");
}

void addOthers(CLI::App &program, Options &options) {
  addList(program, "--sizes", options.sizes, parseSize, "bandwidth: ROWSxCOLUMNS,…")->default_str("16384x4096,65536x1024");
  addList(program, "--attention", options.attentionShapes, parseAttentionShape, "attention: BATCHxHEADSxPOSITIONSxCHANNELS,…")
      ->default_str("16384 positions in all, 2048 channels of 128 or 64 a head");
  addList(program, "--attention-tile", options.attentionTile, parseTunable, "attention: sizes in place of the compiler's, as in BM=128,BN=96");
  addList(program, "--layers", options.layers, parseLayer, "gradient: ROWSxCOLUMNSxDEPTH,… of the layers: dx sums over columns, dw over rows")
      ->default_str("4096x4096x4096,16384x3072x768,16384x1024x4096,8192x8192x8192");
  addList(program, "--gradient-tile", options.gradientTile, parseTunable, "gradient: sizes in place of the compiler's, as in BM=128,BK=256");
  program.add_option("--launches", options.launches, "launch: how many")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  program.add_option("--processes", options.processes, "cold: how many")->check(CLI::Range(1, 1000))->capture_default_str();
  program.add_option("--cold-size", options.coldSize, "cold: rows, columns and depth of the layer")
      ->check(CLI::Range(1, 65'536))
      ->capture_default_str();
  program.add_option("--cold-child", options.childCache)->group("");
}

} // namespace

std::optional<Options> parseOptions(int count, char **arguments, const std::vector<std::pair<std::string, std::string>> &parts,
                                    int *exitCode) {
  Options options;
  std::vector<std::string> names;
  std::string about = "Measures kernels on the GPU at hand against NVIDIA's libraries and driver.\n\nParts:\n";
  for (const auto &[name, description] : parts) {
    names.push_back(name);
    about += "  " + name + ": " + description + "\n";
  }
  CLI::App program(about, "tilewright-benchmarks-gpu");
  program.add_option("PART", options.parts, "What is measured; without any, everything")->check(CLI::IsMember(names));
  addGeneral(program, options);
  addOthers(program, options);
  addLinear(program, options);
  program.footer(
      "Exits with 0 if all results are right, 1 if one is wrong or could not be had, 2 if it cannot run at all. A bar\n"
      "that is missed is no failure.\n");
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError &error) {
    *exitCode = program.exit(error) ? 2 : 0;
    return std::nullopt;
  }
  return options;
}

} // namespace benchmarks
