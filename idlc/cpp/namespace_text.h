#pragma once

#include <string>
#include <utility>
#include <vector>

#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

/// Collects pieces of text with their namespaces; consecutive pieces in the same namespace share its braces.
class NamespaceText {
 public:
  void add(const std::string& space, const std::string& text) {
    if (text.empty()) return;
    if (pieces_.empty() || pieces_.back().first != space) pieces_.push_back({space, ""});
    pieces_.back().second += text;
  }
  std::string text() const {
    std::string out;
    for (const auto& [space, piece] : pieces_) {
      std::string body = piece;
      while (body.ends_with("\n\n")) body.pop_back();
      out += space.empty() ? body + "\n" : in_namespace(space, body);
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> pieces_;
};

}  // namespace orbweaver::idl::cpp
