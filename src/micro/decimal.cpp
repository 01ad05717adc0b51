#include "micro/decimal.h"

namespace orbweaver::micro {

std::size_t decimal(std::string_view digits, std::size_t most) noexcept {
  std::size_t n = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || n > most) return most + 1;
    n = 10 * n + static_cast<std::size_t>(c - '0');
  }
  return n > most ? most + 1 : n;
}

}  // namespace orbweaver::micro
