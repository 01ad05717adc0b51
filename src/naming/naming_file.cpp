#include "naming/naming_file.h"

#include <utility>

#include "state/sqlite_file.h"

namespace orbweaver::naming {
namespace {

using state::SqliteFile;
using state::SqliteStatement;

state::SqliteFormat format() {
  state::SqliteFormat format;
  format.application_id = 0x4f574e53;  // "OWNS"
  format.version = 1;
  format.content = "state of a naming service";
  // `type` and `target`: naming::Target. The names are compared by octets, as in NamingState.
  format.schema =
      "CREATE TABLE context (id TEXT PRIMARY KEY) WITHOUT ROWID;"
      "CREATE TABLE binding (context TEXT NOT NULL REFERENCES context (id), id TEXT NOT NULL,"
      " kind TEXT NOT NULL, type INTEGER NOT NULL, target TEXT NOT NULL,"
      " PRIMARY KEY (context, id, kind)) WITHOUT ROWID";
  return format;
}

class FileStore final : public NamingStore {
 public:
  explicit FileStore(SqliteFile file) : file_(std::move(file)) {}

  Result<void> prepare() {
    const std::pair<SqliteStatement*, const char*> statements[] = {
        {&create_, "INSERT INTO context VALUES (?1)"},
        {&destroy_, "DELETE FROM context WHERE id = ?1"},
        {&put_,
         "INSERT INTO binding VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (context, id, kind) "
         "DO UPDATE SET type = excluded.type, target = excluded.target"},
        {&remove_, "DELETE FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3"},
    };
    for (const auto& [statement, sql] : statements) {
      auto prepared = file_.prepare(sql);
      if (!prepared) return prepared.take_error();
      *statement = std::move(*prepared);
    }
    return {};
  }

  Result<void> commit(const Change& change, Durability durability) override {
    const auto make = [&]() -> Result<void> {
      if (change.create)
        if (auto made = create_.bind(1, *change.create).run(); !made) return made;
      if (change.destroy)
        if (auto made = destroy_.bind(1, *change.destroy).run(); !made) return made;
      if (!change.context) return {};
      SqliteStatement& statement = change.target ? put_ : remove_;
      statement.bind(1, *change.context).bind(2, change.key.first).bind(3, change.key.second);
      if (change.target) statement.bind(4, std::int64_t(change.target->kind)).bind(5, change.target->text);
      return statement.run();
    };
    // On a full disk, names are removed, and bound again to other objects.
    return file_.transact(
        make, [&] { return !change.create && (!change.target || is_bound(change)); }, durability);
  }
  Result<void> flush() override { return file_.flush(); }

 private:
  bool is_bound(const Change& change) const {
    auto found = file_.prepare("SELECT 1 FROM binding WHERE context = ?1 AND id = ?2 AND kind = ?3");
    if (!found) return false;
    const auto row =
        found->bind(1, *change.context).bind(2, change.key.first).bind(3, change.key.second).next();
    return row && *row;
  }

  SqliteFile file_;
  SqliteStatement create_, destroy_, put_, remove_;
};

Result<NamingState> read(const SqliteFile& file, const std::string& path) {
  NamingState state;
  auto contexts = file.prepare("SELECT id FROM context");
  if (!contexts) return contexts.take_error();
  for (;;) {
    auto row = contexts->next();
    if (!row) return row.take_error();
    if (!*row) break;
    Change change;
    change.create = contexts->text(0);
    state.apply(change);
  }
  auto bindings = file.prepare("SELECT context, id, kind, type, target FROM binding");
  if (!bindings) return bindings.take_error();
  for (;;) {
    auto row = bindings->next();
    if (!row) return row.take_error();
    if (!*row) return state;
    const std::int64_t type = bindings->integer(3);
    Change change;
    change.context = bindings->text(0);
    change.key = {bindings->text(1), bindings->text(2)};
    if (type < 0 || type > 2 || state.find(*change.context) == nullptr) {
      return Error{ErrorKind::invalid, path + ": is damaged (the binding of '" + change.key.first +
                                           "' is invalid); restore it from a copy or remove it"};
    }
    change.target = Target{static_cast<Target::Kind>(type), bindings->text(4)};
    state.apply(change);
  }
}

}  // namespace

Result<NamingFile> open_naming_file(const std::string& path) {
  auto file = SqliteFile::open(path, format());
  if (!file) return file.take_error();
  auto state = read(*file, path);
  if (!state) return state.take_error();
  auto store = std::make_unique<FileStore>(std::move(*file));
  if (auto prepared = store->prepare(); !prepared) return prepared.take_error();
  return NamingFile{std::move(store), std::move(*state)};
}

}  // namespace orbweaver::naming
