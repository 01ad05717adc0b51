// What `orbweaver app create` says about assignments and properties that an application rejects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "running_domain.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

class CreationErrors : public DomainRun {
 protected:
  CreationErrors() {
    start_domain();
    start_node();
  }
  void install(const std::string& name) {
    call({"app", "install", "/run_test_" + name + ".sad.xml"});
    name_ = name;
  }
  std::string rejected(const std::string& option, const std::string& value) const {
    const auto [text, end] = attempt({"app", "create", name_, option, value});
    EXPECT_EQ(end, "exited with status 1") << text;
    return text;
  }

 private:
  std::string name_;
};

TEST_F(CreationErrors, NameTheComponentOrDeviceThatDoesNotExist) {
  install("chain");
  EXPECT_THAT(rejected("--assign", "source=executable_device:left"),
              HasSubstr("the application cannot be created: there is no component 'source'; did you mean "
                        "'source_1'?\n"));
  EXPECT_THAT(rejected("--assign", "x=executable_device:left"),
              HasSubstr("there is no component 'x'; there is source_1, filter_1, sink_1 or sink_2"));
  EXPECT_THAT(rejected("--assign", "source_1=left"),
              HasSubstr("there is no device 'left'; did you mean 'executable_device:left'?\n"));
  EXPECT_THAT(rejected("--assign", "source_1=right"),
              HasSubstr("there is no device 'right'; there is executable_device:left"));
}

TEST_F(CreationErrors, NameTheFactoryThatCreatesAComponent) {
  install("component_factory");
  EXPECT_THAT(rejected("--assign", "filter_1=executable_device:left"),
              HasSubstr("'filter_1' is created by 'factory_1': assign that\n"));
}

TEST_F(CreationErrors, SayWhatIsWrongWithAProperty) {
  install("chain");
  EXPECT_THAT(rejected("--set", "packet=5"),
              HasSubstr("component 'source_1' has no property 'packet'; did you mean 'packets'?\n"));
  EXPECT_THAT(rejected("--set", "packets=many"),
              HasSubstr("the application cannot be created: property 'packets' "));
}

}  // namespace
}  // namespace orbweaver
