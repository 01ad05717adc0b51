#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::cpp {

/// Assigns tables of members to the TypeCodes of a file's structs. A TypeCode lists inherited members before
/// a struct's own, so the table of a struct begins with that of its base, and a chain of structs needs only
/// the table of its last one. A second struct that inherits from the same base has a table of its own.
class MemberTables {
 public:
  /// `structs`: all structs of the file, in order.
  explicit MemberTables(const std::vector<const ir::Struct*>& structs);

  /// The struct whose members are in the table that `decl` uses.
  const ir::Struct& last_of_chain(const ir::Struct& decl) const;
  /// The number of members that the TypeCode of a struct of the file lists. A base without members counts as
  /// one, because it is encoded as one octet.
  std::size_t count(const ir::Struct& decl) const { return counts_.at(&decl); }
  /// The total number of members in the tables that contain inherited ones.
  std::size_t size() const { return size_; }

 private:
  std::unordered_map<const ir::Struct*, const ir::Struct*> last_;
  std::unordered_map<const ir::Struct*, std::size_t> counts_;
  std::size_t size_ = 0;
};

/// The bases of a struct, the outermost first, and itself.
std::vector<const ir::Struct*> base_chain(const ir::Struct& decl);

}  // namespace orbweaver::idl::cpp
