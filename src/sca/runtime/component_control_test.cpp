// CF::Resource::start and stop of components.
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include "sca/runtime/component_servant.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

class Amplifier : public Component {
 public:
  using Component::Component;
  ~Amplifier() override { shut_down(); }

 private:
  Property<std::uint32_t> gain_{*this, "gain", 1};
};

TEST(ComponentServant, IsConfiguredQueriedAndStartedWhenItIsStopped) {
  Context context = Context::with({});
  Amplifier component(context);
  const auto servant = CORBA::make_reference<ComponentServant>(component, nullptr, [] {});
  servant->initialize();
  for (const char* const gain : {"2", "3"}) {
    servant->start();
    servant->stop();
    servant->configure({CF::DataType("gain", any_of("ulong", gain))});
    CF::Properties properties{CF::DataType("gain", CORBA::Any())};
    servant->query(properties);
    EXPECT_EQ(text_of(properties[0].value()), gain);
  }
}

}  // namespace
}  // namespace orbweaver::sca
