// Values that wait until a busy component applies them.
#include "sca/component/pending_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <tuple>

#include "platform/testing/becomes_true.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;
using ::testing::Pair;

Component::Values one(const std::string& id, const PropertyValue& value) { return {{id, value}}; }

TEST(PendingValues, AreTheLastOfEachProperty) {
  Component::Values pending;
  for (int i = 0; i < 1000; ++i) {
    add_pending(pending, one("gain", std::to_string(i)));
    add_pending(pending, {{"mode", "am"}, {"mode", "fm"}});
  }
  EXPECT_THAT(pending, ElementsAre(Pair("gain", PropertyValue("999")), Pair("mode", PropertyValue("fm"))));
}

TEST(PendingValues, AreTheLastOfEachMemberOfAStruct) {
  Component::Values pending;
  add_pending(pending, one("tuner", PropertyValue::structure({{"a", "1"}, {"a", "2"}, {"b", "3"}})));
  add_pending(pending, one("tuner", PropertyValue::structure({{"a", "4"}, {"c", "5"}})));
  EXPECT_THAT(pending,
              ElementsAre(Pair("tuner", PropertyValue::structure({{"b", "3"}, {"a", "4"}, {"c", "5"}}))));
}

TEST(PendingValues, HaveALimit) {
  Component::Values pending;
  add_pending(pending, one("a", std::string(600, 'x')), 1000);
  EXPECT_THROW(add_pending(pending, one("b", std::string(600, 'x')), 1000), std::runtime_error);
  EXPECT_THROW(add_pending(pending, one("b", PropertyValue::sequence(std::vector<std::string>(100))), 1000),
               std::runtime_error);
  EXPECT_EQ(pending.size(), 1u);
  add_pending(pending, one("a", std::string(700, 'x')), 1000);
}

struct Place {
  double x = 0, y = 0;
  static auto members() { return std::tuple(Member("x", &Place::x), Member("y", &Place::y)); }
};

/// Is busy until it is let go.
class Busy : public Component {
 public:
  using Component::Component;
  ~Busy() override {
    go = true;
    shut_down();
  }
  Property<std::uint32_t> gain{*this, "gain", 1};
  Property<Place> place{*this, "place", {}};
  Property<std::string> text{*this, "text", ""};
  std::atomic<bool> begun{false}, go{false}, configured{false};

 protected:
  bool produce() override {
    begun = true;
    becomes_true([&] { return go.load(); });
    return !configured;
  }
  void on_configure() override { configured = true; }
};

TEST(PendingValues, AreAppliedByTheComponent) {
  Context context;
  Busy component(context);
  component.start();
  ASSERT_TRUE(becomes_true([&] { return component.begun.load(); }));
  component.configure(one("place", PropertyValue::structure({{"x", "1"}})));
  for (const char* const gain : {"2", "3"}) component.configure(one("gain", gain));
  component.configure(one("place", PropertyValue::structure({{"y", "2"}})));
  EXPECT_THROW(component.configure(one("text", std::string(kMaxPendingBytes, 'x'))), std::runtime_error);
  component.go = true;
  ASSERT_TRUE(becomes_true([&] { return component.finished(); }));
  EXPECT_EQ(component.gain, 3u);
  EXPECT_EQ(component.place.value().x, 1);
  EXPECT_EQ(component.place.value().y, 2);
}

}  // namespace
}  // namespace orbweaver::sca
