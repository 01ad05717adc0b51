#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "idlc/driver/output.h"

namespace orbweaver::idl::cpp {

/// Withholds line feeds until other text follows, so that its user decides how
/// many end the text.
class HeldLineFeeds {
 public:
  explicit HeldLineFeeds(const TextSink& out) : out_(out) {}
  void write(std::string_view text) {
    const std::size_t last = text.find_last_not_of('\n');
    if (last != std::string_view::npos) {
      out_(std::string(held_, '\n'));
      out_(text.substr(0, last + 1));
      held_ = 0;
      is_empty_ = false;
      text.remove_prefix(last + 1);
    }
    held_ += text.size();
  }
  /// Ends the text, at most with this number of line feeds.
  void end(std::size_t most) { out_(std::string(std::min(std::exchange(held_, 0), most), '\n')); }
  /// Whether there was nothing but line feeds.
  bool is_empty() const { return is_empty_; }

 private:
  const TextSink& out_;
  std::size_t held_ = 0;
  bool is_empty_ = true;
};

/// Writes pieces of text with their namespaces; consecutive pieces in the same
/// namespace share its braces.
class NamespaceText {
 public:
  /// `heading` is written before the first piece. `out` must outlive it.
  explicit NamespaceText(const TextSink& out, std::string heading = {})
      : out_(out), body_(out), heading_(std::move(heading)) {}
  ~NamespaceText() { close(); }
  NamespaceText(const NamespaceText&) = delete;
  NamespaceText& operator=(const NamespaceText&) = delete;

  void add(const std::string& space, const std::string& text) {
    if (text.empty()) return;
    if (!is_open_ || space_ != space) {
      close();
      open(space);
    }
    body_.write(text);
  }

 private:
  void open(const std::string& space) {
    out_(std::exchange(heading_, {}));
    space_ = space;
    is_open_ = true;
    if (!space.empty()) out_("namespace " + space + " {\n\n");
  }
  void close() {
    if (!std::exchange(is_open_, false)) return;
    body_.end(1);
    out_(space_.empty() ? "\n" : "\n}  // namespace " + space_ + "\n\n");
  }

  const TextSink& out_;
  HeldLineFeeds body_;
  std::string heading_, space_;
  bool is_open_ = false;
};

}  // namespace orbweaver::idl::cpp
