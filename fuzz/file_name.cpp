// Reads a file name and a pattern, separated by a line feed, and matches them.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sca/files/file_name.h"

using namespace orbweaver::sca;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// A valid path has only valid parts, none of which leads up, and is read as the same path again.
void check_path(const std::string& path, FileNameRules rules) {
  const FileName again = parse_file_name("/" + path, rules);
  require(again.error == 0 && again.path == path);
  for (std::string rest = path; !rest.empty(); rest = folder_of(rest)) {
    const std::string part = last_part_of(rest);
    require(is_valid_part(part, rules) && part != ".." && part.find('/') == std::string::npos);
    require(joined(folder_of(rest), part) == rest);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::string name = text.substr(0, text.find('\n'));
  const std::string pattern = name.size() < text.size() ? text.substr(name.size() + 1) : "";
  for (const FileNameRules rules : {FileNameRules::standard, FileNameRules::ascii}) {
    const FileName read = parse_file_name(name, rules);
    if (read.error == 0) {
      check_path(read.path, rules);
      require(matches_pattern("*", last_part_of(read.path)) && matches_pattern(read.path, read.path));
    } else {
      require(read.path.empty() && !read.message.empty());
    }
    const FileName wild = parse_file_pattern(pattern, rules);
    if (wild.error != 0) continue;
    check_path(folder_of(wild.path), rules);
    matches_pattern(last_part_of(wild.path), last_part_of(read.path));
  }
  return 0;
}
