// CF::TestableObject::runTest of components.
#include <gtest/gtest.h>
#include <orbweaver/sca/component.h>

#include "sca/runtime/component_servant.h"
#include "sca/runtime/property_any.h"
#include "sca/runtime/registering_component.h"

namespace orbweaver::sca {
namespace {

class Tested : public Component {
 public:
  using Component::Component;
  ~Tested() override { shut_down(); }

 private:
  BuiltInTest square_{*this, 5, {"number", "square"}, [](TestValues& values) {
                        const auto number = values.get<std::uint32_t>("number", 3);
                        values.set("square", number * number);
                      }};
};

CF::DataType value(const std::string& id, const std::string& type, const std::string& text) {
  return {id, any_of(type, text)};
}

struct RunTest : ::testing::Test {
  Context context = Context::with({});
  Tested component{context};
  CORBA::servant_reference<ComponentServant> servant =
      CORBA::make_reference<ComponentServant>(component, nullptr, [] {});
};

TEST_F(RunTest, ReturnsTheResults) {
  CF::Properties values{value("number", "ulong", "7"), CF::DataType("square", CORBA::Any())};
  servant->runTest(5, values);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(text_of(values[1].value()), "49");
  CF::Properties none;
  servant->runTest(5, none);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].id() + "=" + text_of(none[0].value()).value_or("?"), "square=9");
}

TEST_F(RunTest, RaisesUnknownTestAndUnknownProperties) {
  CF::Properties values;
  EXPECT_THROW(servant->runTest(6, values), CF::TestableObject::UnknownTest);
  values = {value("number", "ulong", "2"), value("cube", "ulong", "1")};
  try {
    servant->runTest(5, values);
    ADD_FAILURE() << "it has run";
  } catch (const CF::UnknownProperties& e) {
    ASSERT_EQ(e.invalidProperties().size(), 1u);
    EXPECT_EQ(e.invalidProperties()[0].id(), "cube");
  }
  values = {CF::DataType("cube", CORBA::Any()), value("number", "ulong", "2"), value("root", "ulong", "1")};
  try {
    servant->runTest(5, values);
    ADD_FAILURE() << "it has run";
  } catch (const CF::UnknownProperties& e) {
    ASSERT_EQ(e.invalidProperties().size(), 2u) << "the place of a result, too";
    EXPECT_EQ(e.invalidProperties()[0].id() + " " + e.invalidProperties()[1].id(), "cube root");
  }
  values = {value("number", "long", "-2")};
  EXPECT_THROW(servant->runTest(5, values), CF::UnknownProperties) << "out of range";
}

TEST_F(RunTest, IsTheSameForAComponentOfSca41) {
  const auto registering = CORBA::make_reference<RegisteringComponent>(component, nullptr, [] {});
  CF::Properties values{value("number", "ulong", "6")};
  registering->runTest(5, values);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(text_of(values[1].value()), "36");
  EXPECT_THROW(registering->runTest(6, values), CF::TestableInterface::UnknownTest);
  values = {value("cube", "ulong", "1")};
  EXPECT_THROW(registering->runTest(5, values), CF::UnknownProperties);
}

}  // namespace
}  // namespace orbweaver::sca
