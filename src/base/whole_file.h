#pragma once

#include <string>
#include <string_view>

namespace orbweaver {

/// Writes the file as a whole: a reader finds the earlier content or all of `text`, never a part. Symbolic
/// links are followed. What is no regular file (a device, a pipe) is written to, not replaced. Returns false
/// if that is not possible; a regular file has its earlier content then. Creates PATH.new in between.
bool write_whole_file(const std::string& path, std::string_view text);

}  // namespace orbweaver
