#include "runtime/ModuleRecord.h"

#include "runtime/Sha256.h"
#include "runtime/Text.h"

#include <charconv>

using namespace tilewright::runtime;

static std::string hashOf(const std::optional<std::string> &text) {
  return text ? sha256(*text) : std::string();
}

std::vector<ModuleRecord::Import> ModuleRecord::importsOf(const Importer &importer) {
  std::vector<Import> imports;
  for (const Importer::Import &import : importer.imports())
    imports.push_back({import.path, import.importer, hashOf(import.text)});
  return imports;
}

bool ModuleRecord::isOf(Importer &importer) const {
  for (const Import &import : imports)
    if (hashOf(importer.find(import.path, import.importer)) != import.hash)
      return false;
  return true;
}

// Fields, each with its length before it: texts may hold any bytes.
std::string ModuleRecord::write() const {
  std::string bytes;
  auto field = [&](std::string_view text) { bytes += concat(text.size(), ':', text); };
  field(warnings);
  field(description);
  for (const Import &import : imports)
    for (const std::string *text : {&import.path, &import.importer, &import.hash})
      field(*text);
  return bytes;
}

std::optional<ModuleRecord> ModuleRecord::read(std::string_view bytes) {
  std::vector<std::string> fields;
  while (!bytes.empty()) {
    size_t length = 0;
    auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), length);
    size_t digits = static_cast<size_t>(end - bytes.data());
    if (error != std::errc() || digits == bytes.size() || *end != ':' || length > bytes.size() - digits - 1)
      return std::nullopt;
    fields.emplace_back(bytes.substr(digits + 1, length));
    bytes.remove_prefix(digits + 1 + length);
  }
  if (fields.size() < 2 || fields.size() % 3 != 2)
    return std::nullopt;
  ModuleRecord record;
  record.warnings = fields[0];
  record.description = fields[1];
  for (size_t at = 2; at < fields.size(); at += 3)
    record.imports.push_back({fields[at], fields[at + 1], fields[at + 2]});
  return record;
}
