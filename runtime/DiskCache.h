// The disk half of the cache: blobs by key, in one SQLite file that all processes of a user share.
//
// It is a cache and no more: whatever goes wrong with it (no folder, a folder that others can write, a damaged file, a full
// disk, a lock that somebody holds for too long) is a miss. The first trouble of an object is a warning in the log, further
// ones are news.
//
// Trust. The blobs are code that will run, so the folder must be the user's own and closed to others (CacheDirectory.h), and
// each blob carries the hash of itself with its key: what a disk or a crash damaged is found and thrown away. A damaged
// database is emptied in place, under SQLite's locks, so that other processes that have it open are safe.
//
// Sharing. SQLite's rollback journal, not its write-ahead log: that needs shared memory, which network file systems lack. Every
// operation opens the file and closes it (less than a millisecond), so nothing is held while a host forks, changes its folder
// or removes the cache. Whoever waits for more than two seconds for another's transaction gives up.
//
// Size. What is stored pushes out what was not used for longest, until all blobs together have at most mostBytes. A use is
// noted at most once an hour, since a note is a write.
//
// All functions may be called from any thread.
#pragma once

#include "runtime/KeyLock.h"
#include "runtime/Log.h"
#include "runtime/Status.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace tilewright::runtime {

struct DiskCacheOptions {
  static constexpr int64_t defaultBytes = int64_t(512) << 20;

  std::string directory; ///< absolute; "": nothing is ever found or stored
  int64_t mostBytes = defaultBytes;
  std::function<int64_t()> now = {}; ///< seconds since 1970; empty: the system's clock
};

/// One blob, and what people see of it.
struct DiskCacheEntry {
  /// "artifact": what the compiler made; "module": what it said about a source; "choice": of tunables for some
  /// sizes; "cubin": a kernel's code for a GPU; "ptx": its
  /// CUDA functions
  std::string kind;
  std::string name;     ///< of the kernel, or of the source
  std::string target;   ///< of code
  std::string build;    ///< the compiler's build id, or what else made it
  std::string warnings; ///< of who made the code: they are told again whenever it is loaded
  int64_t compileNanoseconds = 0;
  std::string bytes; ///< empty in a list
};

struct DiskCacheRow {
  std::string key; ///< in hexadecimal
  DiskCacheEntry entry;
  int64_t bytes = 0, created = 0, used = 0; ///< the times: seconds since 1970
};

class DiskCache {
public:
  DiskCache(DiskCacheOptions options, Log &log) : options(std::move(options)), log(log) {}

  bool isWanted() const { return !options.directory.empty(); }
  const std::string &directory() const { return options.directory; }
  int64_t mostBytes() const { return options.mostBytes; }

  /// keys: 32 bytes, a hash of all that decides the blob.
  std::optional<DiskCacheEntry> find(const std::string &key);
  void store(const std::string &key, const DiskCacheEntry &entry);
  /// Throws away what turned out to be useless, and says why in the log.
  void reject(const std::string &key, const std::string &reason);

  /// For who is about to produce a blob: waits while somebody else does (then look again: it is there). On trouble, or after
  /// two minutes, a lock that holds nothing: producing twice is better than not at all.
  KeyLock lockForProduction(const std::string &key);

  // For people. These do report trouble.

  /// The most recently used first. key: those whose key begins so, in hexadecimal.
  Result<std::vector<DiskCacheRow>> list(std::string_view key = {});
  Result<std::optional<DiskCacheEntry>> read(const DiskCacheRow &row);
  /// Pushes out the least recently used until at most so many bytes are left; how many entries went. Gives the room back.
  Result<int64_t> prune(int64_t bytes);
  /// Empties the cache, damaged or not.
  Status clear();
  int64_t fileBytes() const;

private:
  class Connection;

  std::string file() const;
  int64_t now() const;
  void report(const Status &trouble);
  std::optional<DiskCacheEntry> findIn(Connection &database, const std::string &key);
  void noteUse(Connection &database, const std::string &key);

  DiskCacheOptions options;
  Log &log;
  std::atomic<int> troubles = 0;
};

} // namespace tilewright::runtime
