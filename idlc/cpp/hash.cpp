#include <orbweaver/operation.h>

#include "idlc/cpp/constructs.h"

namespace orbweaver::idl::cpp {

HashTable perfect_hash(const std::vector<std::string>& names) {
  constexpr std::uint32_t kSeeds = 10'000;
  std::size_t slots = 1;
  while (slots < 2 * names.size()) slots *= 2;
  for (;; slots *= 2) {
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      HashTable table{seed, std::vector<int>(slots, -1)};
      bool free = true;
      for (std::size_t i = 0; i < names.size() && free; ++i) {
        int& slot = table.slots[operation_hash(names[i].data(), names[i].size(), seed) & (slots - 1)];
        free = slot < 0;
        slot = static_cast<int>(i);
      }
      if (free) return table;
    }
  }
}

}  // namespace orbweaver::idl::cpp
