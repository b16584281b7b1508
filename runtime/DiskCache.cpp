#include "runtime/DiskCache.h"

#include "runtime/CacheDirectory.h"
#include "runtime/Sha256.h"
#include "runtime/Text.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <sys/stat.h>

using namespace tilewright::runtime;

namespace {

/// Another layout of the table gets another file, so that releases that share a folder leave each other alone.
constexpr const char *databaseName = "/artifacts-1.sqlite";
constexpr const char *lockName = "/locks";
constexpr int busyMilliseconds = 2000;
constexpr int64_t secondsBetweenNotes = 3600;
constexpr auto longestProduction = std::chrono::minutes(2);
/// So many times the disk is given a chance.
constexpr int mostTroubles = 4;

// The large column stands last: reading the others does not touch the pages that it spills to.
constexpr const char *schema =
    "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, kind TEXT, name TEXT, target TEXT, build TEXT, warnings TEXT,"
    " compile_nanoseconds INTEGER, created INTEGER, used INTEGER, size INTEGER, hash BLOB, bytes BLOB);"
    "CREATE INDEX IF NOT EXISTS by_use ON entries (used, size);";

/// Covers all that a process acts upon, and the key, so that no blob is taken for another.
std::string hashOf(std::string_view key, const DiskCacheEntry &entry) {
  Sha256 hash;
  hash.update(key);
  for (std::string_view field :
       {std::string_view(entry.kind), std::string_view(entry.name), std::string_view(entry.target),
        std::string_view(entry.build), std::string_view(entry.warnings), std::string_view(entry.bytes)})
    hash.update(concat(field.size(), ':')).update(field);
  return hash.update(std::to_string(entry.compileNanoseconds)).digest();
}

/// A prepared statement: bind, step, read columns.
class Statement {
public:
  Statement(sqlite3 *database, const char *text) { code = sqlite3_prepare_v2(database, text, -1, &handle, nullptr); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(handle); }

  Statement &bind(std::string_view text) {
    return bound(sqlite3_bind_text64(handle, ++last, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  Statement &bindBlob(std::string_view bytes) {
    return bound(sqlite3_bind_blob64(handle, ++last, bytes.data(), bytes.size(), SQLITE_STATIC));
  }
  Statement &bind(int64_t number) { return bound(sqlite3_bind_int64(handle, ++last, number)); }

  /// Whether there is a row; then, or on trouble, not any more.
  bool step() {
    if (code == SQLITE_OK)
      code = sqlite3_step(handle);
    bool isRow = code == SQLITE_ROW;
    if (isRow || code == SQLITE_DONE)
      code = SQLITE_OK;
    return isRow;
  }
  bool failed() const { return code != SQLITE_OK; }

  std::string text(int column) const {
    const void *bytes = sqlite3_column_blob(handle, column);
    return bytes ? std::string(static_cast<const char *>(bytes), static_cast<size_t>(sqlite3_column_bytes(handle, column)))
                 : std::string();
  }
  int64_t number(int column) const { return sqlite3_column_int64(handle, column); }

private:
  Statement &bound(int result) {
    if (code == SQLITE_OK)
      code = result;
    return *this;
  }

  sqlite3_stmt *handle = nullptr;
  int last = 0, code = SQLITE_OK;
};

bool fileExists(const std::string &path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0;
}

} // namespace

/// The database, open.
class DiskCache::Connection {
public:
  explicit Connection(const std::string &file, bool create = false) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | (create ? SQLITE_OPEN_CREATE : 0);
    isOpen = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr) == SQLITE_OK;
    if (!isOpen)
      return;
    sqlite3_busy_timeout(handle, busyMilliseconds);
    if (create && execute("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"))
      execute(schema);
  }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;
  ~Connection() { sqlite3_close(handle); } // rolls back what is open

  bool execute(const char *statements) {
    isOpen = isOpen && sqlite3_exec(handle, statements, nullptr, nullptr, nullptr) == SQLITE_OK;
    return isOpen;
  }
  explicit operator bool() const { return isOpen; }
  operator sqlite3 *() const { return handle; } // NOLINT(google-explicit-constructor)

  Status trouble() const {
    int code = handle ? sqlite3_errcode(handle) : SQLITE_NOMEM;
    return Status(TW_INTERNAL_ERROR, concat(handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code), " (SQLite ", code, ')'));
  }
  /// The bytes are not what SQLite, or we, have written.
  bool isDamaged() const {
    int code = handle ? sqlite3_errcode(handle) : SQLITE_NOMEM;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  }

  /// The last statement names what is not there: the file is new, or the table is another's.
  bool lacksTable() const { return sqlite3_errcode(handle) == SQLITE_ERROR; }

  /// Empties the file in place, whatever is in it.
  bool reset() {
    execute("ROLLBACK");
    sqlite3_table_column_metadata(handle, nullptr, "entries", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    int before = 0;
    sqlite3_db_config(handle, SQLITE_DBCONFIG_RESET_DATABASE, 1, &before);
    isOpen = sqlite3_exec(handle, "VACUUM", nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_db_config(handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, &before);
    return isOpen;
  }

  /// Removes the least recently used until at most so many bytes are left; how many entries, or -1.
  int64_t evict(int64_t mostBytes) {
    Statement sum(handle, "SELECT total(size) FROM entries");
    int64_t total = sum.step() ? sum.number(0) : 0, removed = 0;
    std::vector<int64_t> rows;
    Statement oldest(handle, "SELECT rowid, size FROM entries ORDER BY used, rowid");
    while (total > mostBytes && oldest.step()) {
      rows.push_back(oldest.number(0));
      total -= oldest.number(1);
    }
    for (int64_t row : rows) {
      Statement remove(handle, "DELETE FROM entries WHERE rowid = ?");
      remove.bind(row).step();
      if (remove.failed())
        return -1;
      ++removed;
    }
    return sum.failed() || oldest.failed() ? -1 : removed;
  }

private:
  sqlite3 *handle = nullptr;
  bool isOpen = false;
};

std::string DiskCache::file() const {
  return options.directory + databaseName;
}

int64_t DiskCache::now() const {
  return options.now ? options.now() : static_cast<int64_t>(std::time(nullptr));
}

int64_t DiskCache::fileBytes() const {
  struct stat found;
  return stat(file().c_str(), &found) == 0 ? found.st_size : 0;
}

void DiskCache::report(const Status &trouble) {
  int before = troubles.fetch_add(1);
  if (before == 0)
    log.warning("the cache in ", options.directory, ": ", trouble.message(),
                "; what it does not have is compiled again (TILEWRIGHT_CACHE_DIR=off works without it)");
  else
    log.debug("the cache again: ", trouble.message(), before + 1 == mostTroubles ? "; it is not used any more" : "");
}

// ---- For kernels ------------------------------------------------------------------------------------------------------------

std::optional<DiskCacheEntry> DiskCache::find(const std::string &key) {
  if (!isWanted() || troubles >= mostTroubles || !fileExists(file()))
    return std::nullopt;
  if (Status status = checkCacheDirectory(options.directory); !status.ok()) {
    report(status);
    return std::nullopt;
  }
  Connection database(file());
  if (!database) {
    report(database.trouble());
    return std::nullopt;
  }
  return findIn(database, key);
}

std::optional<DiskCacheEntry> DiskCache::findIn(Connection &database, const std::string &key) {
  Statement select(
      database,
      "SELECT kind, name, target, build, warnings, compile_nanoseconds, used, hash, bytes FROM entries WHERE key = ?");
  if (select.failed() && database.lacksTable())
    return std::nullopt; // nothing was stored yet
  bool isFound = select.bindBlob(key).step();
  if (select.failed()) {
    Status trouble = database.trouble();
    if (database.isDamaged())
      trouble = Status(TW_INTERNAL_ERROR, concat(trouble.message(), database.reset() ? ": emptied" : ": it cannot be emptied"));
    report(trouble);
    return std::nullopt;
  }
  if (!isFound)
    return std::nullopt;
  DiskCacheEntry entry = {select.text(0), select.text(1),   select.text(2), select.text(3),
                          select.text(4), select.number(5), select.text(8)};
  int64_t used = select.number(6);
  bool isIntact = select.text(7) == hashOf(key, entry);
  select.step(); // ends the reading, so that writing may begin
  if (!isIntact) {
    reject(key, concat("the blob of ", entry.kind, ' ', entry.name, " does not have its hash"));
    return std::nullopt;
  }
  if (now() - used > secondsBetweenNotes)
    noteUse(database, key);
  return entry;
}

/// Not worth a warning or a wait: an entry that cannot be noted is pushed out early.
void DiskCache::noteUse(Connection &database, const std::string &key) {
  sqlite3_busy_timeout(database, 0);
  Statement update(database, "UPDATE entries SET used = ? WHERE key = ?");
  update.bind(now()).bindBlob(key).step();
  if (update.failed())
    log.debug("the cache: a use cannot be noted: ", database.trouble().message());
}

void DiskCache::reject(const std::string &key, const std::string &reason) {
  report(Status(TW_DAMAGED_ARTIFACT, concat(reason, ": removed")));
  Connection database(file());
  Statement remove(database, "DELETE FROM entries WHERE key = ?");
  remove.bindBlob(key).step();
  if (remove.failed())
    report(database.trouble());
}

void DiskCache::store(const std::string &key, const DiskCacheEntry &entry) {
  int64_t size = static_cast<int64_t>(entry.bytes.size());
  if (!isWanted() || troubles >= mostTroubles || size > options.mostBytes)
    return;
  if (Status status = createCacheDirectory(options.directory); !status.ok())
    return report(status);
  bool wasDamaged = false;
  auto attempt = [&] {
    Connection database(file(), /*create=*/true);
    int64_t time = now();
    std::string hash = hashOf(key, entry);
    if (database) {
      Statement insert(database, "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
      insert.bindBlob(key).bind(entry.kind).bind(entry.name).bind(entry.target).bind(entry.build).bind(entry.warnings);
      insert.bind(entry.compileNanoseconds).bind(time).bind(time).bind(size).bindBlob(hash).bindBlob(entry.bytes);
      insert.step();
      if (!insert.failed() && database.evict(options.mostBytes) >= 0 && database.execute("COMMIT"))
        return true;
    }
    Status trouble = database.trouble();
    wasDamaged = (database.isDamaged() || database.lacksTable()) && database.reset();
    report(Status(TW_INTERNAL_ERROR, concat(trouble.message(), wasDamaged ? ": emptied" : "")));
    return false;
  };
  if (!attempt() && wasDamaged)
    attempt();
}

KeyLock DiskCache::lockForProduction(const std::string &key) {
  if (!isWanted() || troubles >= mostTroubles)
    return {};
  if (Status status = createCacheDirectory(options.directory); !status.ok()) {
    report(status);
    return {};
  }
  KeyLock lock = KeyLock::acquire(options.directory + lockName, key, longestProduction);
  if (!lock.isHeld())
    report(Status(TW_INTERNAL_ERROR, errno == ETIMEDOUT ? "another process has been compiling a kernel for two minutes"
                                                        : concat("the file locks: ", std::strerror(errno))));
  return lock;
}

// ---- For people -------------------------------------------------------------------------------------------------------------

Result<std::vector<DiskCacheRow>> DiskCache::list(std::string_view key) {
  std::vector<DiskCacheRow> rows;
  if (Status status = checkCacheDirectory(options.directory); !status.ok())
    return status;
  if (!fileExists(file()))
    return rows;
  Connection database(file());
  if (!database)
    return database.trouble();
  Statement select(database,
                   "SELECT key, kind, name, target, build, warnings, compile_nanoseconds, created, used, size FROM entries "
                   "ORDER BY used DESC, rowid DESC");
  if (select.failed() && database.lacksTable())
    return rows;
  while (select.step()) {
    DiskCacheRow row = {hexadecimal(select.text(0)),
                        {select.text(1), select.text(2), select.text(3), select.text(4), select.text(5), select.number(6), {}},
                        select.number(9),
                        select.number(7),
                        select.number(8)};
    if (row.key.starts_with(key))
      rows.push_back(std::move(row));
  }
  if (select.failed())
    return database.trouble();
  return rows;
}

Result<std::optional<DiskCacheEntry>> DiskCache::read(const DiskCacheRow &row) {
  Connection database(file());
  Statement select(database, "SELECT bytes, key, hash FROM entries WHERE lower(hex(key)) = ?");
  std::optional<DiskCacheEntry> found;
  if (select.bind(row.key).step()) {
    DiskCacheEntry entry = row.entry;
    entry.bytes = select.text(0);
    if (select.text(2) != hashOf(select.text(1), entry))
      return Status(TW_DAMAGED_ARTIFACT, concat("entry ", row.key, " does not have its hash"));
    found = std::move(entry);
  }
  if (select.failed())
    return database.trouble();
  return found;
}

Result<int64_t> DiskCache::prune(int64_t bytes) {
  if (Status status = checkCacheDirectory(options.directory); !status.ok())
    return status;
  if (!fileExists(file()))
    return int64_t(0);
  Connection database(file(), /*create=*/true);
  int64_t removed = database ? database.evict(bytes) : -1;
  if (removed < 0 || !database.execute("COMMIT; VACUUM"))
    return database.trouble();
  return removed;
}

Status DiskCache::clear() {
  if (Status status = checkCacheDirectory(options.directory); !status.ok())
    return status;
  if (!fileExists(file()))
    return {};
  Connection database(file());
  if (!database || !database.reset())
    return database.trouble();
  return {};
}
