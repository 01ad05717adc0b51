// The tree of a domain as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sca/control/domain_tree.h"

namespace orbweaver::sca {
namespace {

ReadNode node_of(std::initializer_list<std::pair<const char*, const char*>> devices) {
  ReadNode node;
  node.id = node.name = "n";
  for (const auto& [id, part_of] : devices) {
    ReadDevice device;
    device.id = device.name = id;
    device.problem = "-";
    device.part_of = part_of;
    node.devices.push_back(device);
  }
  return node;
}

TEST(TreeText, ShowsThePartsOfADeviceBelowIt) {
  EXPECT_EQ(to_text(node_of({{"part", "whole"}, {"other", ""}, {"whole", ""}}), 0),
            "node n\n  device other: -\n  device whole: -\n    device part: -\n");
}

TEST(TreeText, ShowsEachDeviceOnceWhenTheirIdsFormACircle) {
  EXPECT_EQ(to_text(node_of({{"a", ""}, {"b", "a"}, {"a", "b"}}), 0),
            "node n\n  device a: -\n    device b: -\n      device a: -\n");
  EXPECT_EQ(to_text(node_of({{"a", "b"}, {"b", "a"}}), 0), "node n\n  device a: -\n    device b: -\n");
}

TEST(TreeText, ShowsEachLineOfAPropertyOnALineOfItsOwn) {
  ReadDevice device;
  device.id = device.name = "d";
  device.problem = "-";
  device.properties = {{"limits", "none", {}}, {"processes", "7012 a\n7013 b\x1b", {}}};
  EXPECT_EQ(to_text(device, 0), "device d: -\n  limits = none\n  processes:\n    7012 a\n    7013 b\\x1b\n");
}

TEST(TreeText, PrintsTheFirstHundredLinesOfAProperty) {
  ReadDevice device;
  std::string value;
  for (int i = 1; i <= 101; ++i) value += std::to_string(i) + "\n";
  device.properties = {{"p", value, {}}};
  EXPECT_THAT(to_text(device, 0), ::testing::EndsWith("    100\n    …\n"));
}

TEST(TreeText, ShowsThatAnApplicationIsCreatedAgain) {
  ReadApplication application;
  application.id = application.name = "rx";
  application.state = "failed";
  application.failure = "node 'left' is lost";
  EXPECT_EQ(to_text(application, 0), "application rx: failed, node 'left' is lost\n");
  application.redeploy = true;
  EXPECT_EQ(to_text(application, 0), "application rx: failed, redeploy, node 'left' is lost\n");
}

}  // namespace
}  // namespace orbweaver::sca
