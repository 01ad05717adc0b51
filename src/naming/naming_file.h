#pragma once

#include <memory>
#include <string>

#include "services/naming/naming_store.h"

namespace orbweaver::naming {

/// The state file of a naming service, and what it contains.
struct NamingFile {
  std::unique_ptr<NamingStore> store;
  NamingState state;
};

/// Opens or creates a state file: a database of SQLite with a table of contexts and one of bindings.
/// Errors: as state::SqliteFile::open(); invalid if a row is invalid.
Result<NamingFile> open_naming_file(const std::string& path);

}  // namespace orbweaver::naming
