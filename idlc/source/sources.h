#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "idlc/source/source_span.h"

namespace orbweaver::idl {

/// One file's text, lines and comments. The text does not change; the lexer adds comments, and the
/// preprocessor adds the line markers that it finds.
class SourceFile {
 public:
  struct Position {
    std::string_view path;  ///< from the line marker in force, if any
    std::uint32_t line;     ///< from 1
    std::uint32_t column;   ///< from 1, in bytes
  };

  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  Position position(std::uint32_t offset) const;
  /// The line that contains `offset`, without its line end.
  std::string_view line(std::uint32_t offset) const;

  /// Sets a line marker (`#line`, `# 1 "file"`): the line after `offset` is reported as line `line` of
  /// `path`.
  void mark(std::uint32_t offset, std::string path, std::uint32_t line);
  /// False if a line marker assigns the text at `offset` to a file other than the one that the first marker
  /// names.
  bool belongs_to_file(std::uint32_t offset) const;

  /// Adds a comment; the lexer calls this in order of appearance. A comment that is known already (the file
  /// is read again) is ignored.
  void add_comment(std::uint32_t begin, std::uint32_t end) {
    if (comments_.empty() || comments_.back().begin < begin) comments_.push_back({begin, end});
  }
  /// The comment that begins a line and ends on the line of `offset` or the line before it; empty if there is
  /// none.
  std::string_view comment_before(std::uint32_t offset) const;

 private:
  struct LineMarker {
    std::uint32_t first_line;  // index of the physical line that is reported as `line`
    std::uint32_t line;
    std::string path;
    bool own;  // assigns the text to this file, or to the one that the first marker names
  };
  struct Comment {
    std::uint32_t begin, end;
  };
  std::uint32_t physical_line(std::uint32_t offset) const;
  const LineMarker* line_marker_for(std::uint32_t physical) const;

  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<LineMarker> markers_;
  std::vector<Comment> comments_;
};

/// Owns all source text of one run. Views and spans into it are valid as long as it exists. Not thread-safe.
class Sources {
 public:
  struct LoadResult {
    SourceFile* file = nullptr;  ///< null on failure
    std::uint32_t id = 0;
    std::string problem;  ///< message for the user; empty on success
  };
  /// Reads the file `path` ("-" is standard input). A path is read once; further calls return the same file.
  LoadResult load(const std::string& path);
  /// Adds text that does not come from a file. Returns its id.
  std::uint32_t add(std::string name, std::string text);

  SourceFile& file(std::uint32_t id) { return *files_[id - 1]; }
  const SourceFile& file(std::uint32_t id) const { return *files_[id - 1]; }
  SourceFile::Position position(Span span) const { return file(span.file).position(span.offset); }
  std::string_view text(Span span) const;
  std::size_t count() const { return files_.size(); }

  /// Stores generated text, such as a pasted token, and returns a view of it.
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  /// Larger files are rejected, so that offsets fit in 32 bits.
  static constexpr std::size_t kMaxFileBytes = 64u << 20;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
  std::map<std::string_view, std::uint32_t> by_path_;  // keys refer to the files' own paths
  std::deque<std::string> kept_;
};

}  // namespace orbweaver::idl
