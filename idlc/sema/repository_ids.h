#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "idlc/sema/id_path.h"
#include "idlc/sema/name_table.h"

namespace orbweaver::idl {

/// Sets and checks repository ids: #pragma prefix, ID and version, typeid, typeprefix and import (CORBA 3.3
/// part 1, 14.7; IDL 4.2, 7.4.6.4.1).
class RepositoryIds {
 public:
  RepositoryIds(ir::Unit& unit, NameTable& names, IdPath& path, Diagnostics& diagnostics)
      : unit_(unit), names_(names), path_(path), diagnostics_(diagnostics) {}

  /// `text` is that of a #pragma, without the word "pragma".
  void pragma(std::string_view text, Span span);
  void type_id(const tree::TypeId& definition);
  void type_prefix(const tree::TypePrefix& definition);
  void import(const tree::Import& definition);
  /// Reports an imported repository id that no declaration of the unit has.
  void check_imported_ids();

 private:
  struct Pragma;

  bool well_formed(const Pragma& pragma);
  void pragma_prefix(const Pragma& pragma);
  void pragma_id(const Pragma& pragma);
  void pragma_version(const Pragma& pragma);
  void unknown_pragma(const Pragma& pragma);
  ir::Declaration* target_of(const Pragma& pragma);
  void set_id(ir::Declaration& declaration, const std::string& id, Span span);
  void set_prefix(ir::Declaration& declaration, const std::string& prefix);

  ir::Unit& unit_;
  NameTable& names_;
  IdPath& path_;
  Diagnostics& diagnostics_;
  std::unordered_map<const ir::Declaration*, Span> explicit_ids_;  // set by #pragma ID or version, or typeid
  std::vector<Token> imported_;                                    // imported repository ids
};

}  // namespace orbweaver::idl
