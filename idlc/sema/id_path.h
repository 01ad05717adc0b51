#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "idlc/ir/ir.h"

namespace orbweaver::idl {

/// Stores a repository id, or the beginning of one, in the unit. Equal texts share one address.
inline const std::string* intern_id(ir::Unit& unit, const std::string& text) {
  return &*unit.ids.insert(text).first;
}

/// The path with which repository ids begin in the current scope, such as "prefix/Module" (CORBA 3.3 part 1,
/// 14.7): the prefix in force and the names of the scopes that were opened since it was set.
class IdPath {
 public:
  explicit IdPath(ir::Unit& unit) : unit_(unit) {}

  /// The path, owned by the unit.
  const std::string* interned() {
    if (interned_ == nullptr) interned_ = intern_id(unit_, path_);
    return interned_;
  }
  /// Whether the prefix "omg.org" is in force.
  bool is_omg() const { return path_.starts_with("omg.org/"); }

  void set(std::string path) {
    path_ = std::move(path);
    interned_ = nullptr;
  }
  /// An included file begins without a prefix, and the prefix of the including file returns after it.
  void enter_file() {
    including_files_.push_back(std::move(path_));
    set("");
  }
  void leave_file() {
    if (including_files_.empty()) return;
    set(std::move(including_files_.back()));
    including_files_.pop_back();
  }

 private:
  friend class IdPathGuard;

  ir::Unit& unit_;
  std::string path_;
  const std::string* interned_ = nullptr;     // null until first needed
  std::vector<std::string> including_files_;  // path_ of each including file, the outermost first
};

/// Appends a name to the path; the destructor restores the previous path.
class IdPathGuard {
 public:
  IdPathGuard(IdPath& path, std::string_view name)
      : path_(path), outer_(path.path_), outer_interned_(path.interned_) {
    path.set(outer_ + (outer_.empty() ? "" : "/") + std::string(name));
  }
  IdPathGuard(const IdPathGuard&) = delete;
  IdPathGuard& operator=(const IdPathGuard&) = delete;
  ~IdPathGuard() {
    path_.path_ = std::move(outer_);
    path_.interned_ = outer_interned_;
  }

 private:
  IdPath& path_;
  std::string outer_;
  const std::string* outer_interned_;
};

}  // namespace orbweaver::idl
