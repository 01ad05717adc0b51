#include "idlc/source/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace orbweaver::idl {

SourceFile::SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

std::uint32_t SourceFile::physical_line(std::uint32_t offset) const {
  auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(next - line_starts_.begin() - 1);
}

const SourceFile::LineMarker* SourceFile::line_marker_for(std::uint32_t physical) const {
  auto next =
      std::upper_bound(markers_.begin(), markers_.end(), physical,
                       [](std::uint32_t line, const LineMarker& marker) { return line < marker.first_line; });
  return next == markers_.begin() ? nullptr : &*(next - 1);
}

SourceFile::Position SourceFile::position(std::uint32_t offset) const {
  std::uint32_t physical = physical_line(offset);
  std::uint32_t column = offset - line_starts_[physical] + 1;
  if (const LineMarker* marker = line_marker_for(physical)) {
    return {marker->path, marker->line + (physical - marker->first_line), column};
  }
  return {path_, physical + 1, column};
}

std::string_view SourceFile::line(std::uint32_t offset) const {
  const std::uint32_t physical = physical_line(offset);
  std::size_t begin = line_starts_[physical];
  std::size_t end = physical + 1 < line_starts_.size() ? line_starts_[physical + 1] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

void SourceFile::mark(std::uint32_t offset, std::string path, std::uint32_t line) {
  std::uint32_t first_line = physical_line(offset) + 1;
  if (path.empty()) path = markers_.empty() ? path_ : markers_.back().path;
  const bool own = markers_.empty() || path == markers_.front().path || path == path_;
  // A file included twice is preprocessed twice; its markers are the same each time.
  if (!markers_.empty() && markers_.back().first_line >= first_line) return;
  markers_.push_back({first_line, line, std::move(path), own});
}

bool SourceFile::belongs_to_file(std::uint32_t offset) const {
  const LineMarker* marker = line_marker_for(physical_line(offset));
  return marker == nullptr || marker->own;
}

std::string_view SourceFile::comment_before(std::uint32_t offset) const {
  auto next = std::upper_bound(comments_.begin(), comments_.end(), offset,
                               [](std::uint32_t at, const Comment& comment) { return at < comment.end; });
  std::size_t end = offset;
  std::size_t begin = offset;
  // Several `//` lines in a row are one comment.
  while (next != comments_.begin()) {
    --next;
    std::string_view gap = std::string_view(text_).substr(next->end, begin - next->end);
    if (gap.find_first_not_of(" \t\r\n") != std::string_view::npos) break;
    if (std::count(gap.begin(), gap.end(), '\n') > 1) break;
    // The comment must begin its line. Searches backwards, because a line may be as long as the file.
    const std::size_t before = std::string_view(text_).substr(0, next->begin).find_last_not_of(" \t");
    if (before != std::string_view::npos && text_[before] != '\n') break;
    if (begin == offset) end = next->end;
    bool block = text_[next->begin + 1] == '*';
    if (block && begin != offset) break;
    begin = next->begin;
    if (block) break;
  }
  return std::string_view(text_).substr(begin, begin == offset ? 0 : end - begin);
}

namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

std::string read_all(std::FILE* file, std::string& problem) {
  std::string text;
  char buffer[65536];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, got);
    if (text.size() > Sources::kMaxFileBytes) {
      problem = "is larger than 64 MiB; this is not a hand-written IDL file";
      return {};
    }
  }
  if (std::ferror(file)) problem = std::string("cannot be read: ") + std::strerror(errno);
  return text;
}

// The message for a file that is not text; empty for text. A binary file gets one message instead of one for
// each byte. (A final Ctrl-Z is accepted: DOS ended text files with it.)
std::string binary_file_message(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    bool space = c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
    if ((c >= 0x20 && c != 0x7F) || space || (c == 0x1A && i + 1 == text.size())) continue;
    char code[8];
    std::snprintf(code, sizeof code, "%02x", c);
    return "is not IDL text: byte " + std::to_string(i) + " is a control character (" + code +
           "); is it a binary, or UTF-16? save it as UTF-8";
  }
  return {};
}

}  // namespace

Sources::LoadResult Sources::load(const std::string& path) {
  if (auto known = by_path_.find(path); known != by_path_.end())
    return {&file(known->second), known->second, {}};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return {nullptr, 0, "is a directory; name an IDL file"};
  std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return {nullptr, 0, std::string("cannot be opened: ") + std::strerror(errno)};
  std::string problem;
  std::string text = read_all(file.get(), problem);
  if (problem.empty()) problem = binary_file_message(text);
  if (!problem.empty()) return {nullptr, 0, problem};
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");  // blanks out a byte-order mark
  std::uint32_t id = add(path, std::move(text));
  return {files_.back().get(), id, {}};
}

std::uint32_t Sources::add(std::string name, std::string text) {
  files_.push_back(std::make_unique<SourceFile>(std::move(name), std::move(text)));
  const auto id = static_cast<std::uint32_t>(files_.size());
  by_path_.emplace(files_.back()->path(), id);
  return id;
}

std::string_view Sources::text(Span span) const {
  return span.known() ? file(span.file).text().substr(span.offset, span.length) : std::string_view();
}

}  // namespace orbweaver::idl
