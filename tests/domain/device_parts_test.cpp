// A node whose DCD has devices that are part of another one, in a domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "orbweaver_process.h"
#include "platform/testing/reserved_port.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DeviceParts : public ::testing::Test {
 protected:
  DeviceParts() {
    std::string name = fs::temp_directory_path() / "orbweaver-parts-XXXXXX";
    folder_ = mkdtemp(name.data());
    environment_ = {"XDG_STATE_HOME=" + folder_.string(), "XDG_CACHE_HOME=" + folder_.string()};
    for (const auto& file : fs::directory_iterator(ORBWEAVER_NODE_PROFILES))
      fs::copy(file.path(), folder_ / file.path().filename());
  }
  ~DeviceParts() override {
    node_.reset();
    domain_.reset();
    fs::remove_all(folder_);
  }

  /// Adds a device that is part of `whole` to the DCD.
  void add_part(const std::string& id, const std::string& whole) {
    const fs::path dcd = folder_ / "node.dcd.xml";
    std::ifstream in(dcd);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    text.insert(
        text.find("</partitioning>"),
        "<componentplacement><componentfileref refid=\"device_spd\"/><compositepartofdevice refid=\"" +
            whole + "\"/><componentinstantiation id=\"" + id + "\"/></componentplacement>");
    std::ofstream(dcd) << text;
  }
  void start() {
    domain_ = std::make_unique<Command>(
        std::vector<std::string>{"domain", "--root", folder_.string(), "--port", port_, "--transient"},
        environment_);
    domain_->until("serving domain");
    node_ = std::make_unique<Command>(std::vector<std::string>{"node", (folder_ / "node.dcd.xml").string(),
                                                               "--name", "left", "--naming", naming_},
                                      environment_);
    node_->until("all its devices and services are registered");
  }
  std::string call(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--naming", naming_});
    Command command(arguments, environment_);
    EXPECT_EQ(command.end(), "exited with status 0") << command.output;
    return command.output;
  }

  const std::string port_ = platform::testing::reserve_port();
  const std::string naming_ = "corbaloc::127.0.0.1:" + port_ + "/NameService";
  fs::path folder_;
  std::vector<std::string> environment_;
  std::unique_ptr<Command> domain_, node_;
};

TEST_F(DeviceParts, AreBelowTheirDeviceInTheTreeOfTheDomain) {
  add_part("middle", "executable_device");
  add_part("inner", "middle");
  start();
  const std::string text = call({"domain", "tree"});
  EXPECT_THAT(text, HasSubstr("\n    device executable_device (executable_device:left): "));
  EXPECT_THAT(text, HasSubstr("\n      device middle (middle:left): "));
  EXPECT_THAT(text, HasSubstr("\n        device inner (inner:left): "));
  std::map<std::string, std::string> part_of;
  const auto tree = nlohmann::json::parse(call({"domain", "tree", "--json"}));
  for (const auto& device : tree["nodes"][0]["devices"]) part_of[device["id"]] = device["part_of"];
  EXPECT_EQ(part_of, (std::map<std::string, std::string>{{"executable_device:left", ""},
                                                         {"middle:left", "executable_device:left"},
                                                         {"inner:left", "middle:left"}}));
}

}  // namespace
}  // namespace orbweaver
