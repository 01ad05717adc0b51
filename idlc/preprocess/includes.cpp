#include "idlc/preprocess/includes.h"

#include <filesystem>

namespace orbweaver::idl {

std::string included_name(const std::vector<Token>& line, std::string_view text) {
  if (line.empty()) return {};
  const bool quoted = line[0].kind == TokenKind::string && line[0].text.size() > 2 && line[0].text[0] == '"';
  if (quoted) return std::string(line[0].text.substr(1, line[0].text.size() - 2));
  if (line[0].kind != TokenKind::less) return {};
  if (!text.empty())
    return text.find('>') > text.size() ? "" : std::string(text.substr(1, text.find('>') - 1));
  std::string out;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at].kind == TokenKind::greater) return out;
    out += line[at].text;
  }
  return {};
}

namespace {

// The paths where an included file may be, in the order of search.
std::vector<std::string> candidates(const std::string& from, const std::string& path, bool quoted,
                                    const std::vector<std::string>& dirs) {
  namespace fs = std::filesystem;
  if (fs::path(path).is_absolute()) return {path};
  std::vector<std::string> out;
  const std::string sibling = (fs::path(from).parent_path() / path).lexically_normal().string();
  if (quoted) out.push_back(sibling);
  for (const std::string& dir : dirs) out.push_back((fs::path(dir) / path).lexically_normal().string());
  if (!quoted) out.push_back(sibling);
  return out;
}

}  // namespace

IncludeResult find_include(Sources& sources, const std::string& from, const std::string& path, bool quoted,
                           const std::vector<std::string>& dirs) {
  IncludeResult out;
  out.loaded.problem = "is not found";
  for (const std::string& candidate : candidates(from, path, quoted, dirs)) {
    std::error_code ignored;
    const auto status = std::filesystem::status(candidate, ignored);
    if (!std::filesystem::exists(status)) continue;
    // Opening a pipe without a writer may block, and reading a device may not end.
    if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status)) {
      out.loaded.problem = "is a pipe, a socket or a device; include a file";
      continue;
    }
    out = {sources.load(candidate), candidate};
    if (out.loaded.file) break;
  }
  return out;
}

}  // namespace orbweaver::idl
