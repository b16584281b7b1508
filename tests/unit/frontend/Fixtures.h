// What several tests of the front end share. `parsing`, `analysis` and `rules` are for the tests of those parts.
#pragma once

#include "compiler/frontend/Parser.h"
#include "compiler/frontend/PrintAST.h"
#include "compiler/frontend/Sema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tilewright::frontend::tests {

/// The text of a file of this repository; it must have one.
inline std::string readRepositoryFile(const std::string &path) {
  std::ifstream stream(TILEWRIGHT_SOURCE_DIR "/" + path);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

inline std::optional<std::string> noImports(const std::string &, const std::string &) {
  return std::nullopt;
}

// --------------------------------------------------------------------------------------------------------------------
// Parsing
// --------------------------------------------------------------------------------------------------------------------

namespace parsing {

/// A text, its tree and its faults.
struct Parsed {
  explicit Parsed(std::string text) : source("test.tile", std::move(text)), file(parse(source, diagnostics)) {}

  /// "line:column message" of each error, one a line.
  std::string errors() const {
    std::string all;
    for (const Diagnostic &diagnostic : diagnostics.all()) {
      auto [line, column] = source.locate(diagnostic.where.begin);
      all += (all.empty() ? "" : "\n") + std::to_string(line) + ":" + std::to_string(column) + " " + diagnostic.message;
    }
    return all;
  }
  std::string hint() const { return diagnostics.all().empty() ? "" : diagnostics.all().front().hint; }
  std::string tree() const { return printAST(file); }

  Source source;
  Diagnostics diagnostics;
  ast::File file;
};

/// Statements, in a kernel whose header is line 1.
inline Parsed inKernel(const std::string &statements) {
  return Parsed("kernel k(x: f32[K]) over () {\n" + statements + "\n}\n");
}

/// The errors of statements, the first of which is line 2.
inline std::string errorsOf(const std::string &statements) {
  return inKernel(statements).errors();
}
inline std::string hintOf(const std::string &statements) {
  return inKernel(statements).hint();
}

/// The tree of an expression.
inline std::string treeOf(const std::string &expression) {
  Parsed parsed("let c = " + expression + ";");
  EXPECT_EQ(parsed.errors(), "");
  std::string tree = parsed.tree();
  return tree.substr(tree.find('\n') + 1);
}

/// Whether two expressions have the same tree.
inline ::testing::AssertionResult sameTree(const std::string &left, const std::string &right) {
  return treeOf(left) == treeOf(right) ? ::testing::AssertionSuccess()
                                       : ::testing::AssertionFailure() << treeOf(left) << "is not\n"
                                                                       << treeOf(right);
}

inline const ast::Expression &constantOf(const Parsed &parsed) {
  return *ast::as<ast::ConstantDeclaration>(*parsed.file.declarations.at(0)).value;
}

inline const ast::Statement &statementOf(const Parsed &parsed) {
  return *ast::as<ast::KernelDeclaration>(*parsed.file.declarations.at(0)).body.statements.at(0);
}

inline std::string textOf(const Parsed &parsed, SourceRange where) {
  return std::string(parsed.source.text().substr(where.begin, where.end - where.begin));
}

} // namespace parsing

// --------------------------------------------------------------------------------------------------------------------
// Semantic analysis: each test states one rule of docs/language.md §3, by the error that breaking it gives or by the dump of
// the typed tree.
// --------------------------------------------------------------------------------------------------------------------

namespace analysis {

/// The files that `import` finds.
inline const std::map<std::string, std::string> importable = {
    {"one.tile", "fn one(x: f32) -> f32 = x;\nlet unit = 1;\nkernel hidden(y: out f32[N]) over (i in N by B) { y[i] = 0; }"},
    {"also_one.tile", "fn one(x: f32) -> f32 = 2 * x;"},
    {"middle.tile", "import \"one.tile\";\nfn middle(x: f32) -> f32 = one(x) + unit;"},
    {"circle.tile", "import \"turn.tile\";"},
    {"turn.tile", "import \"circle.tile\";"},
};

inline std::optional<std::string> resolve(const std::string &path, const std::string &) {
  auto found = importable.find(path);
  return found == importable.end() ? std::nullopt : std::optional(found->second);
}

/// One fault: what is said, the source text it points at, and the hint.
struct Fault {
  std::string message, at, hint;
  std::vector<std::string> notes;
};

inline std::vector<Fault> faultsOf(const Diagnostics &diagnostics) {
  std::vector<Fault> faults;
  for (const Diagnostic &each : diagnostics.all()) {
    if (each.severity != Severity::Error)
      continue;
    Fault fault{each.message, "", each.hint, {}};
    if (each.where.valid())
      fault.at = each.where.source->text().substr(each.where.begin, each.where.end - each.where.begin);
    for (const Note &note : each.notes)
      fault.notes.push_back(note.message);
    faults.push_back(std::move(fault));
  }
  return faults;
}

inline std::vector<Fault> check(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics); // keeps the sources
  return faultsOf(diagnostics);
}

inline std::string rendered(const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics);
  return render(diagnostics);
}

#define EXPECT_CLEAN(text) EXPECT_EQ(rendered(text), "")

inline void expectFault(const std::string &text, const std::string &at, const std::string &message,
                        const std::string &hint = "") {
  std::vector<Fault> faults = check(text);
  ASSERT_EQ(faults.size(), 1u) << text << "\n" << rendered(text);
  EXPECT_EQ(faults[0].message, message) << text;
  EXPECT_EQ(faults[0].at, at) << text << "\n" << rendered(text);
  if (!hint.empty()) {
    EXPECT_EQ(faults[0].hint, hint) << text;
  }
}

/// A kernel with everything that a body may want.
inline std::string kernelOf(const std::string &body, const std::string &before = "") {
  return before + R"(
kernel k(x: f32[M, K], w: bf16[N, K], b: f32[N]?, row: i32[M], flag: bool[M, N], wide: f64[M, N], y: out f32[M, N], scale: f32)
over (i in M by BM, j in N by BN) {
)" + body +
         "\n  y[i, j] = 0;\n}\n";
}

inline void expectBodyFault(const std::string &body, const std::string &at, const std::string &message,
                            const std::string &hint = "") {
  expectFault(kernelOf(body), at, message, hint);
}

inline std::string dump(const std::string &text, const Specialization &specialization = {}, const std::string &kernel = "k") {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics);
  EXPECT_EQ(render(diagnostics), "") << text;
  if (diagnostics.hasErrors())
    return "";
  std::unique_ptr<typed::Kernel> typed = module->specialize(kernel, specialization, diagnostics);
  EXPECT_EQ(render(diagnostics), "") << text;
  return typed ? typed::print(*typed) : "";
}

inline void expectDump(const std::string &text, const std::string &line, const Specialization &specialization = {}) {
  std::string found = dump(text, specialization);
  EXPECT_NE(found.find(line), std::string::npos) << "expected the line\n  " << line << "\nin\n" << found;
}

inline void expectBody(const std::string &body, const std::string &line, const std::string &before = "") {
  expectDump(kernelOf(body, before), line);
}

inline std::vector<Fault> specializationFaults(const std::string &text, const Specialization &specialization) {
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("test.tile", text, resolve, diagnostics);
  EXPECT_EQ(render(diagnostics), "");
  module->specialize("k", specialization, diagnostics);
  return faultsOf(diagnostics);
}

} // namespace analysis

// --------------------------------------------------------------------------------------------------------------------
// The rules on the typed tree: each test is a kernel's parameters, grid and body
// --------------------------------------------------------------------------------------------------------------------

namespace rules {

/// The errors of a kernel `k(…) over (…) { … }`.
inline std::vector<std::string> errorsOf(const std::string &kernel) {
  Diagnostics diagnostics;
  Module::check("test.tile", "kernel k" + kernel, noImports, diagnostics);
  std::vector<std::string> messages;
  for (const Diagnostic &diagnostic : diagnostics.all())
    messages.push_back(diagnostic.message);
  return messages;
}

/// The same, each with its hint after a semicolon.
inline std::vector<std::string> errorsAndHintsOf(const std::string &kernel) {
  Diagnostics diagnostics;
  Module::check("test.tile", "kernel k" + kernel, noImports, diagnostics);
  std::vector<std::string> messages;
  for (const Diagnostic &diagnostic : diagnostics.all())
    messages.push_back(diagnostic.message + (diagnostic.hint.empty() ? "" : "; " + diagnostic.hint));
  return messages;
}

/// A kernel that was specialized. Both are null after an error, which has failed the test.
struct Specialized {
  std::unique_ptr<Module> module;
  std::unique_ptr<typed::Kernel> kernel;
};

inline Specialized specialize(const std::string &kernel, const Specialization &specialization = {}) {
  Diagnostics diagnostics;
  Specialized result;
  result.module = Module::check("test.tile", "kernel k" + kernel, noImports, diagnostics);
  if (!diagnostics.hasErrors())
    result.kernel = result.module->specialize("k", specialization, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
  return result;
}

} // namespace rules

} // namespace tilewright::frontend::tests
