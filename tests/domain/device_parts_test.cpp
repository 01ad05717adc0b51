// A node whose DCD has devices that are part of another one, in a domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "domain_commands.h"
#include "platform/testing/read_file.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DeviceParts : public DomainCommands {
 protected:
  DeviceParts() {
    for (const auto& file : fs::directory_iterator(ORBWEAVER_NODE_PROFILES))
      fs::copy(file.path(), folder_ / file.path().filename());
  }

  /// Adds a device that is part of `whole` to the DCD.
  void add_part(const std::string& id, const std::string& whole) {
    const fs::path dcd = folder_ / "node.dcd.xml";
    std::string text = platform::testing::read_file(dcd);
    text.insert(
        text.find("</partitioning>"),
        "<componentplacement><componentfileref refid=\"device_spd\"/><compositepartofdevice refid=\"" +
            whole + "\"/><componentinstantiation id=\"" + id + "\"/></componentplacement>");
    std::ofstream(dcd) << text;
  }
  void start_all() {
    domain_ = start({"domain", "--root", folder_.string(), "--port", port_, "--transient"}, "serving domain");
    node_ = start({"node", (folder_ / "node.dcd.xml").string(), "--name", "left", "--naming", naming_},
                  "all its devices and services are registered");
  }

  std::unique_ptr<Command> domain_, node_;
};

TEST_F(DeviceParts, AreBelowTheirDeviceInTheTreeOfTheDomain) {
  add_part("middle", "executable_device");
  add_part("inner", "middle");
  start_all();
  const std::string text = call({"domain", "tree"});
  EXPECT_THAT(text, HasSubstr("\n    device executable_device (executable_device:left): "));
  EXPECT_THAT(text, HasSubstr("\n      device middle (middle:left): "));
  EXPECT_THAT(text, HasSubstr("\n        device inner (inner:left): "));
  std::map<std::string, std::string> part_of;
  const auto found = tree();
  for (const auto& device : found["nodes"][0]["devices"]) part_of[device["id"]] = device["part_of"];
  EXPECT_EQ(part_of, (std::map<std::string, std::string>{{"executable_device:left", ""},
                                                         {"middle:left", "executable_device:left"},
                                                         {"inner:left", "middle:left"}}));
}

}  // namespace
}  // namespace orbweaver
