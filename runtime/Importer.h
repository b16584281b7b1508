// What the imports of a module led to.
#pragma once

#include "runtime/CompileMessage.h"
#include "runtime/Status.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::runtime {

/// Reads a whole file; false if it cannot be read, or is a folder.
bool readFile(const std::string &path, std::string &to);

/// The text behind an import; see tw_import_function.
struct ImportFunction {
  tw_import_function function = nullptr; ///< null: files
  void *user = nullptr;
};

/// Answers imports, and remembers the answers: together with the module's own text they are what the module is made of. Asked
/// again, it answers the same, so a module can be checked later than it was made.
class Importer {
public:
  struct Import {
    std::string path, importer;
    std::optional<std::string> text; ///< nothing: there is no such file
  };

  Importer(ImportFunction import, std::string_view name, std::string_view text);

  /// A tw_compiler_import; self is an Importer.
  static int answer(void *self, const char *path, const char *importer, const char **text, size_t *length);
  /// The text behind `import "path";` in importer.
  const std::optional<std::string> &find(const std::string &path, const std::string &importer);

  /// From now on only what is remembered exists: the host's function may not be called any more.
  void freeze() { isFrozen = true; }

  const std::string &name() const { return ownName; }
  const std::string &text() const { return ownText; }
  /// In the order in which they were asked for.
  const std::deque<Import> &imports() const { return answers; }
  /// All texts that were found.
  SourceTexts texts() const;

private:
  std::optional<std::string> look(const std::string &path, const std::string &importer);

  ImportFunction import;
  bool isFrozen = false;
  std::string ownName, ownText;
  std::deque<Import> answers;               ///< must not move: texts are handed out
  std::map<std::string, std::string> paths; ///< of imports as written
};

} // namespace tilewright::runtime
