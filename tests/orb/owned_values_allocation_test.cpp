// Heap allocations of calls whose arguments or results need storage: at most one for each string or sequence
// that the caller owns afterwards. A server keeps the storage of arguments from call to call. Client and
// server run in this process; what the servant allocates is not counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ownedS.h"
#include "testing/allocation_count.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

constexpr const char* kText = "a text that is longer than a short string";

OrbTest::Record a_record() {
  return {kText, 1, OrbTest::Track(20, OrbTest::Point(1, 2)), OrbTest::Doubles(30, 0.5)};
}

/// Returns copies of its values.
class OwnedServant final : public virtual CORBA::servant_traits<OrbTest::Owned>::base_type {
 public:
  void take_text(const std::string& data) override { expect(data == text_); }
  void view_text(std::string_view data) override { expect(data == text_); }
  void take_doubles(const OrbTest::Doubles& data) override { expect(data == doubles_); }
  void take_record(const OrbTest::Record& data) override { expect(data.levels() == record_.levels()); }
  void take_any(const CORBA::Any& data) override { expect(!data._empty()); }

  OrbTest::Point give_point() override { return {1, 2}; }
  std::string give_text() override { return copy(text_); }
  OrbTest::Doubles give_doubles() override { return copy(doubles_); }
  OrbTest::Record give_record() override { return copy(record_); }
  CORBA::Any give_any() override { return copy(any_); }
  void fill_text(std::string& data) override { data = copy(text_); }
  void fill_record(OrbTest::Record& data) override { data = copy(record_); }
  void change_doubles(OrbTest::Doubles& data) override { std::reverse(data.begin(), data.end()); }

 private:
  template <class T>
  static T copy(const T& value) {
    const AllocationsAreNotCounted of_the_servant;
    return value;
  }
  static void expect(bool arrived) {
    if (!arrived) throw CORBA::BAD_PARAM();
  }

  const std::string text_ = kText;
  const OrbTest::Doubles doubles_ = OrbTest::Doubles(512, 0.5);
  const OrbTest::Record record_ = a_record();
  const CORBA::Any any_ = [] {
    CORBA::Any any;
    any <<= OrbTest::Doubles(512, 0.5);
    return any;
  }();
};

struct OwnedValues : ::testing::TestWithParam<std::string> {
  using OwnedRef = IDL::traits<OrbTest::Owned>::ref_type;

  TestOrb server, client{Options{"-ORBTransportPreference", GetParam()}};
  CORBA::servant_reference<OwnedServant> servant = CORBA::make_reference<OwnedServant>();
  OwnedRef owned = [this] {
    server.root->activate_object(servant);
    const std::string text = server.orb->object_to_string(server.root->servant_to_reference(servant));
    return IDL::traits<OrbTest::Owned>::narrow(client.orb->string_to_object(text));
  }();
  OrbTest::Doubles doubles = OrbTest::Doubles(512, 0.5);
  OrbTest::Record record = a_record();

  /// Allocations of one call, rounded up: the minimum of up to five rounds of 200. A buffer may still grow in
  /// one round; what every call allocates appears in all of them.
  std::size_t of(const std::function<void()>& call) {
    constexpr std::size_t kCalls = 200;
    std::size_t minimum = ~std::size_t{0};
    for (int round = 0; round < 5 && minimum != 0; ++round) {
      const std::size_t before = allocations();
      for (std::size_t i = 0; i < kCalls; ++i) call();
      minimum = std::min(minimum, allocations() - before);
    }
    return (minimum + kCalls - 1) / kCalls;
  }
};

TEST_P(OwnedValues, NeedNoAllocationAsArguments) {
  const std::string text = kText;
  EXPECT_EQ(of([&] { owned->view_text(text); }), 0u);
  EXPECT_EQ(of([&] { owned->take_text(text); }), 0u);
  EXPECT_EQ(of([&] { owned->take_doubles(doubles); }), 0u);
  EXPECT_EQ(of([&] { owned->take_record(record); }), 0u);
}

TEST_P(OwnedValues, NeedNoAllocationInAPlainResult) {
  EXPECT_EQ(of([&] { EXPECT_EQ(owned->give_point().y(), 2); }), 0u);
}

TEST_P(OwnedValues, NeedOneAllocationInAResult) {
  EXPECT_EQ(of([&] { EXPECT_EQ(owned->give_text().size(), 41u); }), 1u);
  EXPECT_EQ(of([&] { EXPECT_EQ(owned->give_doubles().size(), 512u); }), 1u);
}

/// Its value; the TypeCode is found among those that the thread has read.
TEST_P(OwnedValues, NeedOneAllocationInAnAny) {
  CORBA::Any any;
  any <<= doubles;
  EXPECT_LE(of([&] { owned->take_any(any); }), 1u);
  EXPECT_EQ(of([&] { EXPECT_FALSE(owned->give_any()._empty()); }), 1u);
}

TEST_P(OwnedValues, NeedOneAllocationForEachMemberOfAStruct) {
  EXPECT_EQ(of([&] { EXPECT_EQ(owned->give_record().levels().size(), 30u); }), 3u);
}

TEST_P(OwnedValues, ReuseTheStorageOfTheCaller) {
  std::string text;
  EXPECT_EQ(of([&] { owned->fill_text(text); }), 0u);
  EXPECT_EQ(text, kText);
  OrbTest::Record filled;
  EXPECT_EQ(of([&] { owned->fill_record(filled); }), 0u);
  EXPECT_EQ(filled.levels(), record.levels());
  EXPECT_EQ(of([&] { owned->change_doubles(doubles); }), 0u);
}

INSTANTIATE_TEST_SUITE_P(Transports, OwnedValues, ::testing::Values("shm", "unix", "tcp", "inproc"),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace orbtest
