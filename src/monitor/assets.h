#pragma once

#include <span>
#include <string_view>

namespace orbweaver::monitor {

/// A file of src/monitor/assets, which is part of the program.
struct Asset {
  std::string_view name;  ///< "index.html"
  std::string_view text;
};

/// All files.
std::span<const Asset> assets();
/// The file of that name, which must exist.
std::string_view asset(std::string_view name);
/// Its media type, by the end of its name.
std::string_view media_type(std::string_view name);

}  // namespace orbweaver::monitor
