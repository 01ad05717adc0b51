#include "state/record_file.h"

#include <utility>

namespace orbweaver::state {
namespace {

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

  Result<void> commit(const std::vector<RecordChange>& changes) override {
    return file_.transact([&]() -> Result<void> {
      for (const RecordChange& change : changes) {
        auto made = change.value ? write_.bind(1, change.key).bind(2, *change.value).run()
                                 : remove_.bind(1, change.key).run();
        if (!made) return made;
      }
      return {};
    });
  }

 private:
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
