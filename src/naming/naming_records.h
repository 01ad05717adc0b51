#pragma once

#include <memory>
#include <string>

#include "naming/naming_file.h"
#include "state/record_store.h"

namespace orbweaver::naming {

/// Reads the state of a naming service from records (docs/formats/domain-state.md), in which it is kept from
/// then on. `where` is for messages. Errors: as RecordStore::read_all(); invalid if a record is invalid.
Result<NamingFile> open_naming_records(std::unique_ptr<state::RecordStore> records, const std::string& where);

}  // namespace orbweaver::naming
