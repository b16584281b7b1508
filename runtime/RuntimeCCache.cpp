// The part of runtime_c.h about the disk cache.

#include "runtime/CacheDirectory.h"
#include "runtime/DiskCache.h"
#include "runtime/ModuleRecord.h"
#include "runtime/RuntimeCErrors.h"
#include "tilewright/runtime_c.h"

#include <nlohmann/json.hpp>

using namespace tilewright::runtime;
using nlohmann::ordered_json;

namespace {

/// Opens the cache of a folder, and gives it to the body.
template <typename Body> tw_status withCache(const char *directory, tw_error **error, Body body) {
  return guarded(error, [&]() -> Status {
    Log log(nullptr, nullptr, TW_LOG_WARNING);
    DiskCache cache({chooseCacheDirectory(directory)}, log);
    if (!cache.isWanted())
      return Status(TW_NOT_FOUND, "there is no disk cache: TILEWRIGHT_CACHE_DIR is off, or no folder can be told from "
                                  "XDG_CACHE_HOME and HOME");
    return body(cache);
  });
}

/// Names of kernels are identifiers, but those of sources are paths, which may hold any bytes.
std::string dump(const ordered_json &tree) {
  return tree.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json describe(const DiskCacheRow &row) {
  ordered_json tree = {{"key", row.key}, {"kind", row.entry.kind}, {"name", row.entry.name}};
  if (row.entry.kind != "module")
    tree["target"] = row.entry.target;
  if (row.entry.kind != "module" && row.entry.kind != "choice")
    tree["compile_nanoseconds"] = row.entry.compileNanoseconds;
  tree.update({{"build", row.entry.build}, {"bytes", row.bytes}, {"created", row.created}, {"used", row.used}});
  return tree;
}

/// What is in the blob besides code.
ordered_json contents(const DiskCacheEntry &entry) {
  if (entry.kind == "module") {
    std::optional<ModuleRecord> record = ModuleRecord::read(entry.bytes);
    return ordered_json::parse(record ? record->description : "", nullptr, /*allow_exceptions=*/false);
  }
  if (entry.kind == "choice")
    return entry.bytes;
  if (entry.kind != "artifact")
    return nullptr;
  // compiler_c.h: a header of 24 bytes, the second word of which is the length of the metadata that follow it.
  uint64_t length = 0;
  if (entry.bytes.size() >= 24)
    std::memcpy(&length, entry.bytes.data() + 8, sizeof(length));
  std::string_view metadata = std::string_view(entry.bytes).substr(std::min<size_t>(24, entry.bytes.size()));
  return ordered_json::parse(metadata.substr(0, length), nullptr, /*allow_exceptions=*/false);
}

Result<DiskCacheRow> findOne(DiskCache &cache, const std::string &key) {
  Result<std::vector<DiskCacheRow>> rows = cache.list(key);
  if (!rows.ok())
    return rows.takeStatus();
  if (rows->empty())
    return Status(TW_NOT_FOUND, concat("no entry of the cache in ", cache.directory(), " has a key that begins with ", key));
  if (rows->size() > 1)
    return Status(TW_INVALID_ARGUMENT, concat(rows->size(), " entries have keys that begin with ", key, ": give more digits"));
  return std::move((*rows)[0]);
}

} // namespace

tw_status tw_cache_list(const char *directory, char **json, tw_error **error) {
  return withCache(directory, error, [&](DiskCache &cache) -> Status {
    if (!json)
      return isNull("json");
    Result<std::vector<DiskCacheRow>> rows = cache.list();
    if (!rows.ok())
      return rows.takeStatus();
    ordered_json tree = {
        {"directory", cache.directory()}, {"file_bytes", cache.fileBytes()}, {"entries", ordered_json::array()}};
    for (const DiskCacheRow &row : *rows)
      tree["entries"].push_back(describe(row));
    return copyText(dump(tree), json);
  });
}

tw_status tw_cache_show(const char *directory, const char *key, char **json, tw_error **error) {
  return withCache(directory, error, [&](DiskCache &cache) -> Status {
    if (!key || !json)
      return isNull("key or json");
    Result<DiskCacheRow> row = findOne(cache, key);
    if (!row.ok())
      return row.takeStatus();
    Result<std::optional<DiskCacheEntry>> entry = cache.read(*row);
    if (!entry.ok())
      return entry.takeStatus();
    ordered_json tree = describe(*row);
    tree["warnings"] = row->entry.warnings;
    tree["contents"] = *entry ? contents(**entry) : ordered_json();
    return copyText(dump(tree), json);
  });
}

tw_status tw_cache_prune(const char *directory, int64_t bytes, int64_t *removed, tw_error **error) {
  return withCache(directory, error, [&](DiskCache &cache) -> Status {
    if (bytes < 0)
      return Status(TW_INVALID_ARGUMENT, concat("a cache cannot be pruned to ", bytes, " bytes"));
    Result<int64_t> count = cache.prune(bytes);
    if (!count.ok())
      return count.takeStatus();
    if (removed)
      *removed = *count;
    return {};
  });
}

tw_status tw_cache_clear(const char *directory, tw_error **error) {
  return withCache(directory, error, [&](DiskCache &cache) { return cache.clear(); });
}
