// A component factory of the classes of these tests; fails on demand, by its exec param `trouble`.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <orbweaver/sca/component_factory.h>
#include "sca/run_tests/filter.h"
#include "sca/run_tests/sink.h"

namespace {

using namespace orbweaver::sca;

class TestFactory : public ComponentFactory {
 public:
  explicit TestFactory(Context& context) : ComponentFactory(context) {
    if (const std::string* const trouble = context.find("trouble")) trouble_ = *trouble;
    if (trouble_ == "construct") throw std::runtime_error("the board is missing");
    add<testing::Filter>("filter");
    add<testing::Sink>("sink");
  }

 protected:
  void initialize() override {
    if (trouble_ == "initialize") throw std::runtime_error("the firmware is too old");
  }
  std::unique_ptr<Component> create(Context& context) override {
    if (trouble_ == "create") throw std::runtime_error("no channel is free");
    if (trouble_ == "exit") std::_Exit(7);
    if (trouble_ == "hang") {
      for (;;) ::pause();
    }
    return ComponentFactory::create(context);
  }

 private:
  std::string trouble_;
};

}  // namespace

ORBWEAVER_COMPONENT_FACTORY(TestFactory)
