#include <orbweaver/sca/component_factory.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Amplifier : public Component {
 public:
  using Component::Component;

 private:
  Property<double> gain_{*this, "gain", 1.0};
};

class Tuner : public Component {
 public:
  Tuner(Context& context, int& board) : Component(context) { ++board; }
};

class RadioFactory : public ComponentFactory {
 public:
  explicit RadioFactory(Context& context) : ComponentFactory(context) {
    add<Amplifier>("amplifier");
    add("tuner", [this](Context& each) { return std::make_unique<Tuner>(each, board); });
  }
  int board = 0;
};

class OneClassFactory : public ComponentFactory {
 public:
  explicit OneClassFactory(Context& context) : ComponentFactory(context) { add<Amplifier>("amplifier"); }
};

TEST(ComponentFactory, CreatesAComponentOfTheClassThatIsNamed) {
  Context exec_params = Context::with({{"COMPONENT_IDENTIFIER", "factory_1"}});
  RadioFactory factory(exec_params);
  EXPECT_EQ(factory.identifier(), "factory_1");
  Context first = Context::with(
      {{"COMPONENT_IDENTIFIER", "amplifier_1"}, {"COMPONENT_CLASS", "amplifier"}, {"gain", "3"}});
  const auto amplifier = factory.make(first);
  EXPECT_EQ(amplifier->identifier(), "amplifier_1");
  EXPECT_EQ(amplifier->query("gain").text, "3");
  EXPECT_TRUE(first.unknown().empty());
  Context second = Context::with({{"COMPONENT_IDENTIFIER", "tuner_1"}, {"COMPONENT_CLASS", "tuner"}});
  EXPECT_NE(dynamic_cast<Tuner*>(factory.make(second).get()), nullptr);
  EXPECT_EQ(factory.board, 1) << "components can use what the factory has";
}

TEST(ComponentFactory, NeedsNoNameOfItsOnlyClass) {
  Context none;
  OneClassFactory factory(none);
  EXPECT_NE(dynamic_cast<Amplifier*>(factory.make(none).get()), nullptr);
  Context other = Context::with({{"COMPONENT_CLASS", "tuner"}});
  EXPECT_THAT(
      [&] { factory.make(other); },
      ThrowsMessage<std::invalid_argument>("the factory has no class 'tuner'; the factory has the classes "
                                           "amplifier"));
}

TEST(ComponentFactory, NamesItsClassesIfNoneIsAskedFor) {
  Context none;
  RadioFactory factory(none);
  EXPECT_THAT([&] { factory.make(none); }, ThrowsMessage<std::invalid_argument>(
                                               "the qualifier COMPONENT_CLASS, which names its class, is "
                                               "missing: declare it in the component's PRF, of kind "
                                               "factoryparam; the factory has the classes amplifier, tuner"));
}

TEST(ComponentFactory, RejectsTwoClassesOfOneName) {
  class Twice : public ComponentFactory {
   public:
    explicit Twice(Context& context) : ComponentFactory(context) {
      add<Amplifier>("amplifier");
      add<Amplifier>("amplifier");
    }
  };
  Context none;
  EXPECT_THAT([&] { Twice factory(none); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("two classes named 'amplifier'")));
}

}  // namespace
}  // namespace orbweaver::sca
