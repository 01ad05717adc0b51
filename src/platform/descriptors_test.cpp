#include "platform/descriptors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <vector>

namespace orbweaver::platform {
namespace {

std::size_t listed_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all))) - 1;  // without that of the iterator
}

TEST(DescriptorsInUse, CountsThoseAboveAFreeNumber) {
  const std::size_t before = descriptors_in_use();
  EXPECT_EQ(before, listed_descriptors());
  std::vector<Fd> opened;
  for (int i = 0; i < 70; ++i) opened.push_back(spare_descriptor());
  EXPECT_EQ(descriptors_in_use(), before + 70);
  opened.erase(opened.begin(), opened.begin() + 30);
  EXPECT_EQ(descriptors_in_use(), before + 40);
  EXPECT_EQ(descriptors_in_use(), listed_descriptors());
}

}  // namespace
}  // namespace orbweaver::platform
