// CF::PropertySet::configure of components.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include "sca/runtime/component_servant.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using CF::PropertySet;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class GainStage : public Component {
 public:
  using Component::Component;
  ~GainStage() override { shut_down(); }

 private:
  Property<std::uint32_t> gain_{*this, "gain", 1};
};

struct ConfiguredProperties : ::testing::Test {
  /// The exception of a configuration that is rejected.
  PropertySet::InvalidConfiguration rejection(const CF::Properties& properties) {
    try {
      servant->configure(properties);
      ADD_FAILURE() << "InvalidConfiguration was expected";
    } catch (const PropertySet::InvalidConfiguration& e) {
      return e;
    }
    return {};
  }

  Context context = Context::with({});
  GainStage component{context};
  const CORBA::servant_reference<ComponentServant> servant =
      CORBA::make_reference<ComponentServant>(component, nullptr, [] {});
};

TEST_F(ConfiguredProperties, AreRejectedWithAllTheirValues) {
  const auto raised = rejection({{"gain", any_of("ulong", "2")},
                                 {"volume", any_of("ulong", "2")},
                                 {"gain", any_of("string", "loud")},
                                 {"phase", any_of("ulong", "2")}});
  ASSERT_EQ(raised.invalidProperties().size(), 4u);
  EXPECT_EQ(raised.invalidProperties()[0].id(), "gain") << "the other value of this id is invalid";
  EXPECT_THAT(raised.msg(), AllOf(HasSubstr("no property 'volume'; "), HasSubstr("no property 'phase'")));
}

TEST_F(ConfiguredProperties, AreRejectedOnceEach) {
  constexpr std::size_t kMany = 2000;
  for (const CORBA::Any& value : {CORBA::Any(), any_of("ulong", "2")}) {
    const auto raised = rejection(CF::Properties(kMany, CF::DataType("x", value)));
    EXPECT_EQ(raised.invalidProperties().size(), kMany);
    EXPECT_THAT(raised.msg(), EndsWith("; and " + std::to_string(kMany - 16) + " more"));
    EXPECT_LT(raised.msg().size(), 2000u);
  }
}

TEST_F(ConfiguredProperties, AreRejectedWithAShortMessageWhateverTheirIds) {
  for (const CORBA::Any& value : {CORBA::Any(), any_of("ulong", "2")}) {
    const auto raised = rejection(CF::Properties(100, CF::DataType(std::string(10'000, 'x'), value)));
    EXPECT_LT(raised.msg().size(), 6000u);
  }
}

}  // namespace
}  // namespace orbweaver::sca
