#pragma once

#include <orbweaver/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/durability.h"

struct sqlite3_stmt;

namespace orbweaver::state {

/// What a state file contains.
struct SqliteFormat {
  std::int32_t application_id = 0;  ///< Distinguishes the file from those of other programs; not 0.
  int version = 1;                  ///< Of the tables; files of a later version are rejected.
  std::string content;              ///< For messages: "state of a domain".
  std::string schema;               ///< SQL that creates the tables in a new file.
};

struct SqliteDatabase;

/// A prepared statement. Must not outlive its file. Not thread-safe.
class SqliteStatement {
 public:
  SqliteStatement() noexcept = default;

  /// Sets the parameter ?`index`, counted from 1, to a copy of these bytes. Bindings last until the next one.
  SqliteStatement& bind(int index, std::string_view value);
  SqliteStatement& bind(int index, std::int64_t value);
  /// Executes a statement without results, which can be executed again. Errors: as SqliteFile::open().
  Result<void> run();
  /// Advances to the next row of the result; false at its end, after which the statement can be executed
  /// again. Errors: as SqliteFile::open().
  Result<bool> next();
  /// The column of the present row, counted from 0.
  std::string text(int column) const;
  std::int64_t integer(int column) const;

 private:
  friend class SqliteFile;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  const SqliteDatabase* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A state file: a database of SQLite that one process has open at a time. A committed transaction survives
/// the end of the process (write-ahead log), and that of the machine if the transaction says so, or a later
/// one does: then the log is flushed at the commit. The log is copied into the database and used again from
/// its begin when it has about 1 MiB, which flushes both. A reserve of space
/// (space_reserve.h) is kept for changes on a full disk that free something. Not thread-safe.
class SqliteFile {
 public:
  SqliteFile() noexcept = default;

  /// Opens the file, or creates it with mode 0600. Its message begins with the path, and says what to do.
  /// Errors: invalid if it is not a regular file, belongs to another program, was written by a later version,
  /// or is damaged; unavailable if another process has it open, its folder does not exist, access is denied,
  /// or there is no space.
  static Result<SqliteFile> open(const std::string& path, const SqliteFormat& format);

  /// Errors: as open(); invalid if the statement does not fit the tables.
  Result<SqliteStatement> prepare(std::string_view sql) const;
  /// Executes SQL without results.
  Result<void> execute(const std::string& sql) const;
  /// Executes `changes()`, which returns Result<void>, in a transaction. After an error of it or of the
  /// commit the file contains what it contained before. `may_use_reserve()` tells whether the changes are
  /// made by means of the reserve on a full disk; it is called only then, not within the transaction.
  template <class Changes, class MayUseReserve>
  Result<void> transact(Changes changes, MayUseReserve may_use_reserve,
                        Durability durability = Durability::machine) const {
    if (!has_reserve() && !may_use_reserve()) return no_space();
    auto made = attempt(changes, durability);
    if (made || !was_full() || !may_use_reserve() || !give_up_reserve()) return made;
    return attempt(changes, durability);
  }
  /// … without the reserve.
  template <class Changes>
  Result<void> transact(Changes changes) const {
    return transact(changes, [] { return false; });
  }
  /// Makes all transactions survive the end of the machine. No effect if they do. Errors: as transact().
  Result<void> flush() const;

 private:
  struct Close {
    void operator()(SqliteDatabase* database) const noexcept;
  };

  template <class Changes>
  Result<void> attempt(Changes& changes, Durability durability) const {
    forget_errors();
    if (auto begun = begin(durability); !begun) return begun;
    if (Result<void> changed = changes(); !changed) {
      roll_back();
      return changed;
    }
    return commit(durability);
  }
  Result<void> begin(Durability durability) const;
  Result<void> commit(Durability durability) const;
  /// Whether the reserve is there, or cannot be.
  bool has_reserve() const noexcept;
  bool give_up_reserve() const noexcept;
  /// Whether an error since the last forget_errors() was a lack of space.
  bool was_full() const noexcept;
  void forget_errors() const noexcept;
  Error no_space() const;
  Result<void> set_up(const SqliteFormat& format) const;
  Result<void> check_format(const SqliteFormat& format) const;
  void roll_back() const noexcept;

  std::unique_ptr<SqliteDatabase, Close> database_;
};

}  // namespace orbweaver::state
