#pragma once

#include <orbweaver/result.h>

#include <memory>
#include <string>

#include "state/record_store.h"
#include "state/sqlite_file.h"

namespace orbweaver::state {

/// Opens or creates a store in a file of SQLite whose format has no schema of its own. One process has the
/// file open at a time. Errors: as SqliteFile::open().
Result<std::unique_ptr<RecordStore>> open_record_file(const std::string& path, SqliteFormat format);

}  // namespace orbweaver::state
