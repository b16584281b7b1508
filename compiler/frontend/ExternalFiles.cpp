#include "compiler/frontend/ExternalFiles.h"

#include <algorithm>

namespace tilewright::frontend {

const ExternalFile *ExternalFiles::find(const std::string &name, const std::string &includer, const ImportResolver &resolver) {
  std::optional<std::string> text = resolver ? resolver(name, includer) : std::nullopt;
  if (!text)
    return nullptr;
  auto [entry, isNew] = known.try_emplace({name, *text}, nullptr);
  if (!isNew)
    return entry->second;
  ExternalFile &file = files.emplace_back();
  entry->second = &file;
  file.name = name;
  file.text = std::move(*text);
  for (const std::string &included : includedIn(file.text))
    if (const ExternalFile *found = find(included, name, resolver))
      file.includes.push_back(found);
  return &file;
}

namespace {

void skipBlanks(std::string_view &text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

bool skip(std::string_view &text, std::string_view word) {
  if (!text.starts_with(word))
    return false;
  text.remove_prefix(word.size());
  skipBlanks(text);
  return true;
}

} // namespace

// Directives in comments or in branches that are not taken count too: a file too many is never looked at.
std::vector<std::string> includedIn(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    skipBlanks(line);
    if (!skip(line, "#") || !skip(line, "include") || !line.starts_with('"'))
      continue;
    size_t close = line.find('"', 1);
    if (close == std::string_view::npos)
      continue;
    std::string name(line.substr(1, close - 1));
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::string> whyNoCudaName(std::string_view name) {
  // Those of C++20 that are no keywords of this language.
  static constexpr std::string_view keywords =
      " alignas alignof and_eq asm auto bitand bitor break case catch char char16_t char32_t char8_t class co_await "
      " co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default "
      " delete do double dynamic_cast enum explicit export friend goto inline int long mutable namespace new noexcept "
      " not_eq nullptr operator or_eq private protected public register reinterpret_cast requires short signed sizeof "
      " static static_assert static_cast struct switch template this thread_local throw try typedef typeid typename "
      " union unsigned using virtual void volatile wchar_t xor xor_eq ";
  if (keywords.find(" " + std::string(name) + " ") != std::string_view::npos)
    return "it is a keyword of C++";
  if (name == "tilewright" || name.starts_with("tw_"))
    return "`tilewright` and names with `tw_` are the compiler's own there";
  return std::nullopt;
}

} // namespace tilewright::frontend
