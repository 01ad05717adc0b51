#include "memory.h"

#include <fstream>
#include <sstream>
#include <string>

namespace orbweaver::bench {

ProcessMemory memory_of(pid_t process) {
  ProcessMemory memory;
  std::ifstream file("/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    double kib = 0;
    if (!(words >> key >> kib)) continue;
    if (key == "Rss:") memory.resident_kib = kib;
    if (key == "Private_Clean:" || key == "Private_Dirty:") memory.private_kib += kib;
  }
  return memory;
}

}  // namespace orbweaver::bench
