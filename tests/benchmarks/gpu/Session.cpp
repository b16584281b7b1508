#include "tests/benchmarks/gpu/Session.h"

namespace benchmarks {

void Session::measure(const std::string &part, const std::string &name, const std::function<void(Row &)> &body) {
  Row row;
  row.part = part;
  row.name = name;
  if ((part + ": " + name).find(options.cases) == std::string::npos)
    return;
  double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.limitSeconds > 0 && elapsed > options.limitSeconds) {
    row.remark = "not run: the limit of " + std::to_string(static_cast<int>(options.limitSeconds)) + " s was over";
    return keep(std::move(row));
  }
  try {
    body(row);
  } catch (const Failure &failure) {
    row.isWrong = true;
    row.remark = failure.what();
  }
  keep(std::move(row));
}

void Session::keep(Row row) {
  std::fprintf(stderr, "%s: %s: %s\n", row.part.c_str(), row.name.c_str(),
               row.isWrong ? row.remark.c_str()
               : row.ours  ? timeText(row.ours->median).c_str()
                           : "-");
  if (!options.json.empty()) {
    std::FILE *file = std::fopen(options.json.c_str(), "a");
    if (!file)
      throw Failure("cannot write " + options.json);
    std::fprintf(file, "%s\n", jsonLine(row).c_str());
    std::fclose(file);
  }
  table.push_back(std::move(row));
}

std::function<double()> Session::timed(std::function<void()> work) {
  return [this, work = std::move(work)] { return gpu.microseconds(work); };
}

tilewright::Launchable prepare(const tilewright::Module &module, const std::string &kernel,
                               const std::vector<tilewright::Argument> &arguments,
                               const tilewright::Specialization &specialization) {
  return get(get(module.kernel(kernel)).prepare(std::span(arguments), specialization));
}

} // namespace benchmarks
