// What the front end has to say to the author of a kernel.
#pragma once

#include "compiler/frontend/Source.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

enum class Severity { Error, Warning, Remark };

/// The other place involved ("declared here"), printed below its diagnostic.
struct Note {
  SourceRange where;
  std::string message;
};

/// One fault: where, what was expected, what was found, what to do. Messages are lower case, without a final period, and hold
/// the values; names and source text stand between backquotes.
struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange where;
  std::string message;
  std::vector<Note> notes;
  std::string hint; ///< a remedy, or empty

  Diagnostic &note(SourceRange place, std::string text) {
    notes.push_back({place, std::move(text)});
    return *this;
  }
  Diagnostic &help(std::string text) {
    hint = std::move(text);
    return *this;
  }
};

/// Collects diagnostics in the order they were found. The same fault at the same place is kept once, since a kernel is checked
/// for several dtypes. After `errorLimit` errors further ones are counted but not kept.
class Diagnostics {
public:
  static constexpr unsigned errorLimit = 50;

  /// The reference stays valid until the next call.
  Diagnostic &error(SourceRange where, std::string message) { return add(Severity::Error, where, std::move(message)); }
  Diagnostic &warning(SourceRange where, std::string message) { return add(Severity::Warning, where, std::move(message)); }
  Diagnostic &remark(SourceRange where, std::string message) { return add(Severity::Remark, where, std::move(message)); }

  /// Adds a note to every diagnostic from number `first` on.
  void noteFrom(size_t first, SourceRange where, const std::string &message) {
    for (size_t i = first; i < kept.size(); ++i)
      kept[i].note(where, message);
  }

  const std::vector<Diagnostic> &all() const { return kept; }
  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }

private:
  Diagnostic &add(Severity severity, SourceRange where, std::string message);

  std::vector<Diagnostic> kept;
  Diagnostic dropped; ///< what a duplicate's notes are written to
  unsigned errors = 0;
};

/// `file:line:column: error: message`, the source line, carets under the range, notes and the hint.
std::string render(const Diagnostic &diagnostic, bool colour = false);
/// All of them, each followed by a line break; ends with a count if errors were dropped.
std::string render(const Diagnostics &diagnostics, bool colour = false);

/// The candidate nearest to a misspelt name by edit distance, or empty if none is near enough to be what was meant.
std::string nearestName(std::string_view misspelt, const std::vector<std::string_view> &candidates);

} // namespace tilewright::frontend
