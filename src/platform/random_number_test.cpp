#include "platform/random_number.h"

#include <gtest/gtest.h>

#include <set>

namespace orbweaver::platform {
namespace {

TEST(RandomNumber, HasAllItsBits) {
  std::set<std::uint64_t> numbers;
  std::uint64_t ones = 0, zeros = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = random_number();
    numbers.insert(number);
    ones |= number;
    zeros |= ~number;
  }
  EXPECT_EQ(numbers.size(), 100u);
  EXPECT_EQ(ones & zeros, ~std::uint64_t{0});
}

}  // namespace
}  // namespace orbweaver::platform
