#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace orbtest {

/// One row of the tables of docs/options.md.
struct DocumentedOption {
  std::string subject;        ///< "-ORBWait"; of a tuning key "-ORBTune batch-bytes".
  std::string default_value;  ///< The text of the column "default"; may be empty.
};

/// The options and tuning keys of docs/options.md, in its order.
inline std::vector<DocumentedOption> documented_options() {
  std::vector<DocumentedOption> all;
  std::ifstream page(std::string(ORBWEAVER_SOURCE_DIR) + "/docs/options.md");
  for (std::string line; std::getline(page, line);) {
    const bool is_option = line.rfind("| `-ORB", 0) == 0;
    const std::size_t equals = line.find('='), end_of_name = line.find("` | ", 3);
    const bool is_key = line.rfind("| `", 0) == 0 && !is_option && equals < line.find('`', 3);
    if ((!is_option && !is_key) || end_of_name == std::string::npos) continue;
    std::string others = line.substr(end_of_name + 4);
    all.push_back({is_option ? line.substr(3, line.find_first_of(" `", 3) - 3)
                             : "-ORBTune " + line.substr(3, equals - 3),
                   others.rfind("| ", 0) == 0 ? "" : others.substr(0, others.find(" | "))});
  }
  return all;
}

}  // namespace orbtest
