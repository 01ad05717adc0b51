#pragma once

#include <string>
#include <vector>

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Reference pages for IDL files that are given together: foo.html for foo.idl, with every definition and its comment,
/// and index.html where there are several. A name links to where it is defined, if that has a page in the set.
class HtmlPages {
 public:
  /// `paths` of the files of the set, as given.
  explicit HtmlPages(const std::vector<std::string>& paths);

  OutputFile page(const ir::Unit& unit, const Sources& sources);
  /// Of the pages made so far.
  OutputFile index() const;

 private:
  std::vector<std::string> set_;  // canonical paths
  std::string index_;
};

}  // namespace orbweaver::idl
