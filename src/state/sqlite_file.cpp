#include "state/sqlite_file.h"

#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/file_permissions.h"
#include "state/space_reserve.h"

namespace orbweaver::state {

/// An open database.
struct SqliteDatabase {
  std::string path;  ///< For messages.
  SpaceReserve reserve;
  sqlite3* handle = nullptr;
  int version = 0;                ///< Of the format; in the header of the file.
  mutable bool was_full = false;  ///< An error of the present transaction was a lack of space.
  mutable Durability durability = Durability::machine;  ///< Of the present or last transaction.
  /// Transactions do not survive the end of the machine yet, perhaps those of a process that was killed.
  mutable bool has_unflushed = true;
};

namespace {

namespace fs = std::filesystem;

/// Size of the write-ahead log, in pages of 4 KiB, from which it is copied into the database; and its size in
/// bytes to which it is cut then, after a large transaction.
constexpr const char* kLogLimits = "PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 4194304";

Error refused(const std::string& path, ErrorKind kind, const std::string& reason) {
  return {kind, path + ": " + reason};
}

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

/// Checks what is at the path before SQLite opens it, which would wait for the writer of a FIFO.
Result<void> check_kind_of_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::regular || status.type() == fs::file_type::not_found) return {};
  if (status.type() == fs::file_type::directory)
    return refused(path, ErrorKind::invalid, "is a folder; name a file");
  if (error) return refused(path, ErrorKind::unavailable, error.message());
  return refused(path, ErrorKind::invalid, "is not a regular file; name another one");
}

/// Why a file cannot be opened. SQLite also tries to open it for reading only, and its error can be that of
/// the cleaning up which follows.
std::string open_error(const std::string& path, int system_error) {
  if (system_error != 0 && system_error != EBADF) return system_message(system_error);
  std::FILE* const file = std::fopen(path.c_str(), "r+");
  if (file == nullptr) return system_message(errno);
  std::fclose(file);
  return "its folder cannot be written";
}

Error full(const std::string& path) {
  return refused(path, ErrorKind::unavailable, "no space left for the state");
}

/// The last error of SQLite, as a message about the file.
Error error_of(const SqliteDatabase& database) {
  sqlite3* handle = database.handle;
  const std::string& path = database.path;
  if (handle == nullptr) return refused(path, ErrorKind::unavailable, "out of memory");
  const int code = sqlite3_extended_errcode(handle);
  const int system_error = sqlite3_system_errno(handle);
  if ((code & 0xff) == SQLITE_FULL || system_error == EDQUOT) {
    database.was_full = true;
    return full(path);
  }
  const std::string cause =
      system_error != 0 ? system_message(system_error) : std::string(sqlite3_errmsg(handle));
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return refused(path, ErrorKind::unavailable,
                     "is in use by another process: end it, or start this one with --state FILE, --transient "
                     "or, if it is a domain, another --name");
    case SQLITE_NOTADB: return refused(path, ErrorKind::invalid, "is not a state file; name another one");
    case SQLITE_CORRUPT:
      return refused(
          path, ErrorKind::invalid,
          "is damaged (" + std::string(sqlite3_errmsg(handle)) + "); restore it from a copy or remove it");
    case SQLITE_CANTOPEN:
      return refused(path, ErrorKind::unavailable, "cannot be opened: " + open_error(path, system_error));
    case SQLITE_READONLY: return refused(path, ErrorKind::unavailable, "cannot be written: " + cause);
    case SQLITE_NOMEM: return refused(path, ErrorKind::unavailable, "out of memory");
    case SQLITE_IOERR: return refused(path, ErrorKind::unavailable, "cannot be read or written: " + cause);
    default: return refused(path, ErrorKind::invalid, sqlite3_errmsg(handle));
  }
}

}  // namespace

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

SqliteStatement& SqliteStatement::bind(int index, std::string_view value) {
  sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Result<bool> SqliteStatement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  Error error = error_of(*database_);
  sqlite3_reset(statement_.get());
  return error;
}

Result<void> SqliteStatement::run() {
  for (;;) {
    auto row = next();
    if (!row) return row.take_error();
    if (!*row) return {};
  }
}

std::string SqliteStatement::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string() : std::string(data, static_cast<std::size_t>(size));
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

void SqliteFile::Close::operator()(SqliteDatabase* database) const noexcept {
  sqlite3_close_v2(database->handle);
  delete database;
}

Result<SqliteFile> SqliteFile::open(const std::string& path, const SqliteFormat& format) {
  if (auto checked = check_kind_of_file(path); !checked) return checked.take_error();
  // A plain path: names such as ":memory:" and "file:x?mode=memory" have no special meaning.
  const std::string plain = fs::absolute(path).string();
  SqliteFile file;
  file.database_.reset(new SqliteDatabase{path, SpaceReserve(plain), nullptr, format.version});
  platform::make_private_file(plain);  // SQLite would create it by the umask
  const int code = sqlite3_open_v2(
      plain.c_str(), &file.database_->handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) return error_of(*file.database_);
  if (auto ready = file.set_up(format); !ready) return ready.take_error();
  return file;
}

Result<void> SqliteFile::set_up(const SqliteFormat& format) const {
  sqlite3_busy_timeout(database_->handle, 0);
  sqlite3_extended_result_codes(database_->handle, 1);
  // The lock is taken by the next access and held until the file is closed.
  if (auto set = execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF;"
                         "BEGIN EXCLUSIVE; COMMIT");
      !set)
    return set;
  if (auto checked = check_format(format); !checked) return checked;
  if (auto set = execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
      !set)
    return set;
  return execute(kLogLimits);
}

bool SqliteFile::has_reserve() const noexcept { return database_->reserve.ensure(); }
bool SqliteFile::give_up_reserve() const noexcept { return database_->reserve.give_up(); }
bool SqliteFile::was_full() const noexcept { return database_->was_full; }
void SqliteFile::forget_errors() const noexcept { database_->was_full = false; }
Error SqliteFile::no_space() const { return full(database_->path); }

Result<void> SqliteFile::check_format(const SqliteFormat& format) const {
  auto header = prepare(
      "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
      "FROM pragma_application_id, pragma_user_version");
  if (!header) return header.take_error();
  auto row = header->next();
  if (!row) return row.take_error();
  const std::int64_t application_id = header->integer(0);
  const std::int64_t version = header->integer(1);
  const std::int64_t tables = header->integer(2);
  if (application_id == 0 && version == 0 && tables == 0) {
    *header = SqliteStatement();
    std::error_code ignored;
    fs::permissions(database_->path, fs::perms::owner_read | fs::perms::owner_write, ignored);
    return transact([&] {
      return execute(format.schema + "; PRAGMA application_id = " + std::to_string(format.application_id) +
                     "; PRAGMA user_version = " + std::to_string(format.version));
    });
  }
  if (application_id != format.application_id) {
    return refused(database_->path, ErrorKind::invalid,
                   "is a database of another program, not the " + format.content + "; name another file");
  }
  if (version > format.version) {
    return refused(database_->path, ErrorKind::invalid,
                   "has version " + std::to_string(version) + " of the " + format.content +
                       ", and this program knows versions up to " + std::to_string(format.version) +
                       "; use the newer program");
  }
  auto check = prepare("PRAGMA quick_check(1)");
  if (!check) return check.take_error();
  auto result = check->next();
  if (!result) return result.take_error();
  if (check->text(0) == "ok") return {};
  return refused(database_->path, ErrorKind::invalid,
                 "is damaged (" + check->text(0) + "); restore it from a copy or remove it");
}

Result<SqliteStatement> SqliteFile::prepare(std::string_view sql) const {
  SqliteStatement statement;
  statement.database_ = database_.get();
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(database_->handle, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (code != SQLITE_OK) return error_of(*database_);
  statement.statement_.reset(prepared);
  return statement;
}

Result<void> SqliteFile::execute(const std::string& sql) const {
  if (sqlite3_exec(database_->handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error_of(*database_);
  return {};
}

Result<void> SqliteFile::begin(Durability durability) const {
  if (durability != database_->durability) {
    auto set = execute(durability == Durability::machine ? "PRAGMA synchronous = FULL"
                                                         : "PRAGMA synchronous = NORMAL");
    if (!set) return set;
    database_->durability = durability;
  }
  return execute("BEGIN IMMEDIATE");
}

Result<void> SqliteFile::commit(Durability durability) const {
  Result<void> committed;
  // SQLite flushes nothing at the commit of a transaction that changes nothing, as when it writes values that
  // are there already.
  if (durability == Durability::machine && database_->has_unflushed)
    committed = execute("PRAGMA user_version = " + std::to_string(database_->version));
  if (committed) committed = execute("COMMIT");
  if (!committed) {
    roll_back();
  } else {
    database_->has_unflushed = durability == Durability::process;
  }
  return committed;
}

Result<void> SqliteFile::flush() const {
  if (!database_->has_unflushed) return {};
  return transact([] { return Result<void>(); }, [] { return true; });
}

void SqliteFile::roll_back() const noexcept {
  // Some errors, such as a full disk, have rolled the transaction back already.
  if (sqlite3_get_autocommit(database_->handle) == 0)
    sqlite3_exec(database_->handle, "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace orbweaver::state
