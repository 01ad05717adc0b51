#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "idlc/source/span.h"

namespace orbweaver::idl {

/// One file's text, its lines and its comments. Immutable once read, but for the line markers that the
/// preprocessor finds in it.
class SourceFile {
 public:
  struct Position {
    std::string_view path;  ///< as a line marker says, where there is one
    std::uint32_t line;     ///< from 1
    std::uint32_t column;   ///< from 1, in bytes
  };

  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  Position position(std::uint32_t offset) const;
  /// The whole line around `offset`, without its end.
  std::string_view line(std::uint32_t offset) const;

  /// From the line after `offset` on, positions are told as `path`:`line`, … (`#line`, `# 1 "file"`).
  void mark(std::uint32_t offset, std::string path, std::uint32_t line);
  /// False where a line marker says that the text at `offset` came from another file than the first one
  /// named.
  bool own_text(std::uint32_t offset) const;

  /// Comments in order of appearance; the lexer adds them, again where the file is read again.
  void add_comment(std::uint32_t begin, std::uint32_t end) {
    if (comments_.empty() || comments_.back().begin < begin) comments_.push_back({begin, end});
  }
  /// The comment that ends on the line of `offset` or the line before it, and begins a line; or nothing.
  std::string_view comment_before(std::uint32_t offset) const;

 private:
  struct Marker {
    std::uint32_t first_line;  // index of the physical line that is told as `line`
    std::uint32_t line;
    std::string path;
    bool own;  // of the file itself, or of the one that the first marker names
  };
  struct Comment {
    std::uint32_t begin, end;
  };
  std::uint32_t physical_line(std::uint32_t offset) const;
  const Marker* marker_for(std::uint32_t physical) const;

  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<Marker> markers_;
  std::vector<Comment> comments_;
};

/// All the text of one run. Views and spans handed out live as long as it does. Not thread-safe.
class Sources {
 public:
  struct Loaded {
    SourceFile* file = nullptr;  ///< null on failure
    std::uint32_t id = 0;
    std::string problem;  ///< what a user should read; empty on success
  };
  /// Reads `path` ("-" is standard input), once: asking again gives the same file.
  Loaded load(const std::string& path);
  /// Adds text that is not on disk. Returns its id.
  std::uint32_t add(std::string name, std::string text);

  SourceFile& file(std::uint32_t id) { return *files_[id - 1]; }
  const SourceFile& file(std::uint32_t id) const { return *files_[id - 1]; }
  SourceFile::Position position(Span span) const { return file(span.file).position(span.offset); }
  std::string_view text(Span span) const;
  std::size_t count() const { return files_.size(); }

  /// Keeps text that was made, not read (a pasted token), and returns a view of it.
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  /// Larger files are refused: nobody writes them by hand, and offsets stay 32 bits.
  static constexpr std::size_t kMaxFileBytes = 64u << 20;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::map<std::string_view, std::uint32_t> by_path_;  // into their paths
  std::deque<std::string> kept_;
};

}  // namespace orbweaver::idl
