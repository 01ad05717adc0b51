#include "state/record_file.h"

#include <cstdint>
#include <utility>

namespace orbweaver::state {
namespace {

/// By how much changes may enlarge the records that they replace to be made on a full disk: by the reason of
/// a failure, say.
constexpr std::int64_t kMostGrowth = 4096;

class RecordFile : public RecordStore {
 public:
  RecordFile(SqliteFile file, SqliteStatement write, SqliteStatement remove)
      : file_(std::move(file)), write_(std::move(write)), remove_(std::move(remove)) {}

  Result<std::map<std::string, std::string>> read_all() override {
    auto rows = file_.prepare("SELECT key, value FROM record");
    if (!rows) return rows.take_error();
    std::map<std::string, std::string> records;
    for (;;) {
      auto row = rows->next();
      if (!row) return row.take_error();
      if (!*row) return records;
      records.emplace(rows->text(0), rows->text(1));
    }
  }

  Result<void> commit(const std::vector<RecordChange>& changes, Durability durability) override {
    const auto make = [&]() -> Result<void> {
      for (const RecordChange& change : changes) {
        auto made = change.value ? write_.bind(1, change.key).bind(2, *change.value).run()
                                 : remove_.bind(1, change.key).run();
        if (!made) return made;
      }
      return {};
    };
    return file_.transact(
        make, [&] { return !adds(changes); }, durability);
  }

 private:
  /// Whether the changes add records, or enlarge them.
  bool adds(const std::vector<RecordChange>& changes) const {
    auto size = file_.prepare("SELECT length(CAST(value AS BLOB)) FROM record WHERE key = ?1");
    if (!size) return true;
    std::int64_t growth = 0;
    for (const RecordChange& change : changes) {
      auto found = size->bind(1, change.key).next();
      if (!found || (change.value && !*found)) return true;
      if (!*found) continue;
      growth += (change.value ? static_cast<std::int64_t>(change.value->size()) : 0) - size->integer(0);
      if (auto end = size->next(); !end) return true;  // ends the statement
    }
    return growth > kMostGrowth;
  }

  SqliteFile file_;
  SqliteStatement write_;
  SqliteStatement remove_;
};

}  // namespace

Result<std::unique_ptr<RecordStore>> open_record_file(const std::string& path, SqliteFormat format) {
  format.schema = "CREATE TABLE record (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";
  auto file = SqliteFile::open(path, format);
  if (!file) return file.take_error();
  auto write = file->prepare(
      "INSERT INTO record VALUES (?1, ?2) "
      "ON CONFLICT (key) DO UPDATE SET value = excluded.value");
  if (!write) return write.take_error();
  auto remove = file->prepare("DELETE FROM record WHERE key = ?1");
  if (!remove) return remove.take_error();
  return std::unique_ptr<RecordStore>(
      std::make_unique<RecordFile>(std::move(*file), std::move(*write), std::move(*remove)));
}

}  // namespace orbweaver::state
