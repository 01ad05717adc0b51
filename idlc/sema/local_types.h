#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

/// The types that contain references to local objects and so cannot leave the process: CORBA 3.3 part 1,
/// 7.8.8. A type counts as soon as any of its parts, at any depth, is a local interface.
class LocalTypes {
 public:
  explicit LocalTypes(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Records that `container` (a struct, union or typedef) has a part of this type. Returns whether the part
  /// is local. A forward-declared part may become local later, and `container` with it.
  bool record_part(const ir::Declaration& container, const ir::Type& type);
  /// Reports a local type in the signature of an operation or attribute of `owner`, if `owner` is a remote
  /// interface; `owner` may be null.
  void reject_in_signature(const ir::Declaration* owner, const ir::Type& type, Span span);

 private:
  bool is_local(const ir::Type& type) const;

  Diagnostics& diagnostics_;
  std::unordered_set<const ir::Declaration*> local_containers_;
  // By part: the declarations that become local when the part does.
  std::unordered_map<const ir::Declaration*, std::vector<const ir::Declaration*>> containers_;
};

}  // namespace orbweaver::idl
