#include "runtime/Importer.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilewright::runtime;

bool tilewright::runtime::readFile(const std::string &path, std::string &to) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) // a folder can be opened, and reads as empty
    return false;
  std::ostringstream text;
  text << file.rdbuf();
  to = std::move(text).str();
  return !file.bad();
}

Importer::Importer(ImportFunction import, std::string_view name, std::string_view text)
    : import(import), ownName(name), ownText(text) {}

int Importer::answer(void *self, const char *path, const char *importer, const char **text, size_t *length) {
  try {
    const std::optional<std::string> &found = static_cast<Importer *>(self)->find(path, importer ? importer : "");
    if (!found)
      return 0;
    *text = found->data();
    *length = found->size();
    return 1;
  } catch (...) { // out of memory; it must not pass through the compiler
    return 0;
  }
}

const std::optional<std::string> &Importer::find(const std::string &path, const std::string &importer) {
  for (const Import &known : answers)
    if (known.path == path && known.importer == importer)
      return known.text;
  return answers.emplace_back(Import{path, importer, isFrozen ? std::nullopt : look(path, importer)}).text;
}

std::optional<std::string> Importer::look(const std::string &path, const std::string &importer) {
  if (import.function) {
    const char *text = nullptr;
    size_t length = 0;
    if (!import.function(import.user, path.c_str(), importer.c_str(), &text, &length) || !text)
      return std::nullopt;
    return std::string(text, length);
  }
  // Importers are named as their own import was written, so what that led to is looked up.
  std::string from = importer;
  if (auto known = paths.find(from); known != paths.end())
    from = known->second;
  std::string beside = from.substr(0, from.rfind('/') + 1) + path, content;
  if (!path.starts_with('/') && readFile(beside, content))
    paths[path] = beside;
  else if (!readFile(path, content))
    return std::nullopt;
  return content;
}

SourceTexts Importer::texts() const {
  SourceTexts result = {ownName, ownText, {}};
  for (const Import &import : answers)
    if (import.text)
      result.imports.push_back({import.path, import.importer, *import.text});
  return result;
}
