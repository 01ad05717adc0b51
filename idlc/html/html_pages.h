#pragma once

#include <string>
#include <vector>

#include "idlc/driver/output.h"
#include "idlc/ir/ir.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

/// Generates reference pages for a set of IDL files: foo.html for foo.idl, with all definitions and their
/// comments, and index.html if there are several files. Names link to their definitions if these have a page
/// in the set.
class HtmlPages {
 public:
  /// `paths`: the files of the set, as given on the command line.
  explicit HtmlPages(const std::vector<std::string>& paths);

  OutputFile page(const ir::Unit& unit, const Sources& sources);
  /// The index of the pages made so far.
  OutputFile index() const;

 private:
  std::vector<std::string> set_;  // canonical paths
  std::string index_;
};

}  // namespace orbweaver::idl
