#include "sca/profile/new_id.h"

#include <random>
#include <string_view>

namespace orbweaver::sca {

std::string new_id() {
  std::random_device random;
  std::uniform_int_distribution<int> digits(0, 15);
  std::string id = "DCE:";
  for (const char c : std::string_view("xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx")) {
    const int digit = digits(random);
    id += c == 'x' ? "0123456789abcdef"[digit] : c == 'y' ? "89ab"[digit % 4] : c;
  }
  return id;
}

}  // namespace orbweaver::sca
