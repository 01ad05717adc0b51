#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "idlc/ir/ir.h"

namespace orbweaver::idl::cpp {

/// Which structs of a file share one table of members in their TypeCodes. A TypeCode lists inherited members
/// before a struct's own, so that the table of a struct begins with that of its base: a chain of structs
/// needs the table of its last one only. A second struct that inherits from a base has a table of its own.
class MemberTables {
 public:
  /// `structs`: those of the file, in order.
  explicit MemberTables(const std::vector<const ir::Struct*>& structs);

  /// The struct whose members are in the table that `made` uses.
  const ir::Struct& last_of_chain(const ir::Struct& made) const;
  /// The number of members that the TypeCode of a struct of the file lists. An inherited struct without
  /// members is one octet on the wire.
  std::size_t count(const ir::Struct& made) const { return counts_.at(&made); }
  /// The members of all tables together that hold inherited ones.
  std::size_t size() const { return size_; }

 private:
  std::unordered_map<const ir::Struct*, const ir::Struct*> last_;
  std::unordered_map<const ir::Struct*, std::size_t> counts_;
  std::size_t size_ = 0;
};

/// The bases of a struct, the outermost first, and itself.
std::vector<const ir::Struct*> line_of(const ir::Struct& made);

}  // namespace orbweaver::idl::cpp
