// Tests of IDL::traits for all kinds of types, and of weak references.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <thread>

#include "everythingC.h"
#include "everythingS.h"

namespace {

template <class T>
std::string written(const T& value) {
  std::ostringstream out;
  out << IDL::traits<T>::write(value);
  return out.str();
}

TEST(IdlTraits, WriteEveryTypeToAStream) {
  EXPECT_EQ(written(Every::Matrix{{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}}),
            "[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]");
  EXPECT_EQ(written(std::uint8_t{65}), "65");
  EXPECT_EQ(written(true), "true");
  EXPECT_EQ(written(std::string("a\"b")), "\"a\\\"b\"");
  EXPECT_EQ(written(std::wstring(L"\u20ac")), "L\"\u20ac\"");
  EXPECT_EQ(written(std::map<std::string, std::int32_t>{{"one", 1}}), "{\"one\": 1}");
  EXPECT_EQ(written(Every::Kind::SOME), "SOME");
  EXPECT_EQ(written(Every::Price("-0.5")), "-0.50");
  EXPECT_EQ(written(Every::Plain(1.5, 2, 3)), "Every::Plain{d: 1.5, l: 2, f: 3}");
  EXPECT_EQ(written(Every::Empty()), "Every::Empty{}");
  std::ostringstream out;
  IDL::traits<Every::Later>::write_on(out, nullptr) << ", " << IDL::traits<CORBA::Object>::write(nullptr);
  EXPECT_EQ(out.str(), "nil, nil");
}

TEST(IdlTraits, DescribeBoundsElementsAndDimensions) {
  using IDL::traits;
  static_assert(!traits<std::string>::is_bounded::value && !traits<std::vector<float>>::is_bounded::value);
  static_assert(traits<Every::ShortText>::is_bounded::value && traits<Every::ShortText>::bound::value == 12);
  static_assert(traits<Every::Nested>::bound::value == 2 &&
                traits<Every::Nested>::element_traits::bound::value == 4);
  static_assert(
      std::is_same_v<traits<Every::Nested>::element_traits::element_traits::value_type, std::uint8_t>);
  static_assert(traits<Every::Matrix>::dimensions::value == 2);
  static_assert(std::is_same_v<traits<Every::Matrix>::element_traits::value_type, std::int32_t>);
  using Limited = IDL::bounded_map<std::int16_t, Every::Flags, 3>;
  static_assert(traits<Limited>::bound::value == 3);
  static_assert(std::is_same_v<traits<Limited>::value_traits::value_type, Every::Flags>);
  static_assert(std::is_same_v<traits<Limited>::key_traits::in_type, std::int16_t>);
  static_assert(traits<Every::Price>::digits::value == 5 && traits<Every::Price>::scale::value == 2);
  static_assert(std::is_same_v<traits<Every::Price>::in_type, const Every::Price&>);
  static_assert(std::is_same_v<traits<Every::Everything>::in_type, const Every::Everything&>);
  static_assert(!traits<Every::Later>::is_local && traits<Every::Here>::is_local);
}

class Counted final : public virtual CORBA::servant_traits<Global>::base_type {
 public:
  explicit Counted(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~Counted() override { --alive_; }
  void ping(Every::Kind) override { ++pings; }
  int pings = 0;

 private:
  std::atomic<int>& alive_;
};

TEST(WeakReferences, DoNotKeepObjectsAlive) {
  std::atomic<int> alive{0};
  CORBA::weak_servant_reference<Counted> weak;
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(weak.lock(), nullptr);
  {
    const auto servant = CORBA::make_reference<Counted>(alive);
    weak = servant;
    const CORBA::servant_traits<Global>::weak_ref_type base(servant);  // through its base class
    auto other = weak;
    EXPECT_FALSE(base.expired());
    other.lock()->ping(Every::Kind::SOME);
    EXPECT_EQ(servant->pings, 1);
    EXPECT_EQ(weak.lock(), servant);
    other.reset();
    EXPECT_TRUE(other.expired());
    EXPECT_FALSE(weak.expired());
  }
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(weak.lock(), nullptr);
}

TEST(WeakReferences, KeepLockedObjectsAlive) {
  std::atomic<int> alive{0};
  auto servant = CORBA::make_reference<Counted>(alive);
  const CORBA::weak_servant_reference<Counted> weak(servant);
  auto locked = weak.lock();
  servant = nullptr;
  EXPECT_EQ(alive, 1);
  EXPECT_FALSE(weak.expired());
  locked = nullptr;
  EXPECT_EQ(alive, 0);
}

// An object whose memory is overwritten as soon as it is deleted.
class Reused final : public CORBA::RefCounted {
 public:
  static void* operator new(std::size_t bytes) {
    EXPECT_LE(bytes, sizeof memory_);
    return memory_;
  }
  static void operator delete(void* memory) { std::memset(memory, 1, sizeof memory_); }

 private:
  alignas(std::max_align_t) static inline unsigned char memory_[64];
};

TEST(WeakReferences, ExpireSafely) {
  auto object = CORBA::make_reference<Reused>();
  const CORBA::weak_object_reference<Reused> weak(object);
  object = nullptr;
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(weak.lock(), nullptr);
}

// One thread releases the last reference while others lock: they get either the intact object or nil, and the
// object is deleted once.
TEST(WeakReferences, CanBeLockedDuringDestruction) {
  std::atomic<int> alive{0};
  for (int round = 0; round < 300; ++round) {
    auto servant = CORBA::make_reference<Counted>(alive);
    const CORBA::weak_servant_reference<Counted> weak(servant);
    std::atomic<int> locking{0};
    const auto lock = [&weak, &locking] {
      if (weak.lock()) ++locking;
      while (weak.lock()) {
      }
    };
    std::thread one(lock), other(lock);
    while (locking != 2) std::this_thread::yield();
    servant = nullptr;
    one.join();
    other.join();
    EXPECT_TRUE(weak.expired());
    ASSERT_EQ(alive, 0);
  }
}

}  // namespace
