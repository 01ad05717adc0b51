// Round trips of random values of all types in everything.idl: RandomCdr writes them in both byte orders, and
// the generated code decodes and encodes them.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/print.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "everythingC.h"
#include "idlc/driver/compile.h"
#include "idlc/source/render.h"
#include "random_cdr.h"

namespace orbweaver::idl::testing {
namespace {

using Octets = std::vector<std::uint8_t>;
constexpr int kValues = 200;
constexpr ByteOrder kNative = std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

// Decodes `bytes`, which may be in the other byte order, and encodes the value in the native order.
struct RoundTripResult {
  Octets bytes;
  std::string printed;
};
using RoundTrip = std::function<RoundTripResult(const Octets& bytes, bool swap)>;

template <class T>
RoundTripResult trip(const Octets& bytes, bool swap) {
  T value{};
  cdr::Decoder in(bytes.data(), bytes.size(), swap);
  cdr::decode(in, value);
  EXPECT_TRUE(in.ok());
  Octets again;
  cdr::Encoder out(again);
  cdr::encode(out, value);
  out.finish();
  std::ostringstream text;
  orbweaver::print(text, value);
  EXPECT_LE(again.size(), cdr::bound_of(value));
  return {std::move(again), text.str()};
}

template <class E>
RoundTripResult raised(const Octets& bytes, bool swap) {
  cdr::Decoder in(bytes.data(), bytes.size(), swap);
  std::string id;
  cdr::decode(in, id);
  try {
    E::_decode_and_raise(in);
  } catch (const E& caught) {
    EXPECT_EQ(id, caught._rep_id());
    Octets again;
    cdr::Encoder out(again);
    cdr::encode(out, id);
    caught._encode(out);
    out.finish();
    std::ostringstream text;
    text << caught;
    return {std::move(again), text.str()};
  }
  ADD_FAILURE() << "not raised: " << id;
  return {};
}

template <class T>
Octets type_of(bool swap) {
  Octets type;
  cdr::Encoder out(type);
  cdr::encode(out, reference_to(TypeCodeOf<T>::get()));
  out.finish();
  if (!swap) return type;
  std::reverse(type.begin(), type.begin() + 4);
  if (TypeCodeOf<T>::get().kind() == CORBA::TCKind::tk_fixed) {  // digits and scale
    std::reverse(type.begin() + 4, type.begin() + 6);
    std::reverse(type.begin() + 6, type.begin() + 8);
  } else {  // the length of the encapsulation, which has a byte order of its own
    std::reverse(type.begin() + 4, type.begin() + 8);
  }
  return type;
}

// Decodes an any and extracts the value; `native` is its encoding in the native byte order at offset 0.
template <class T>
void take_out(const Octets& message, bool swap, const Octets& native) {
  cdr::Decoder in(message.data(), message.size(), swap);
  CORBA::Any any, again;
  cdr::decode(in, any);
  ASSERT_TRUE(in.ok()) << cdr::describe(in.fault());
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_EQ(*any::Access::find(any, TypeCodeOf<T>::get()), native);
  T found{};
  ASSERT_TRUE(any >>= found);
  again <<= found;
  EXPECT_EQ(*any::Access::find(again, TypeCodeOf<T>::get()), native);
}

struct TypeCase {
  RoundTrip trip;
  Octets (*type)(bool swap);
  void (*take_out)(const Octets& message, bool swap, const Octets& native);
};

#define TYPE(T)                              \
  {                                          \
#T, { trip<T>, type_of<T>, take_out<T> } \
  }
#define EXCEPTION(T)                           \
  {                                            \
#T, { raised<T>, type_of<T>, take_out<T> } \
  }
const std::map<std::string, TypeCase> kTrips{
    TYPE(Every::Forest),       TYPE(Every::Tree),           TYPE(Every::Kind),
    TYPE(Every::Matrix),       TYPE(Every::Nested),         TYPE(Every::ShortText),
    TYPE(Every::Nothing),      TYPE(Every::Pair),           TYPE(Every::Plain),
    TYPE(Every::NotPlain),     TYPE(Every::Derived),        TYPE(Every::Numbers),
    TYPE(Every::Everything),   TYPE(Every::WithReference),  TYPE(Every::ByKind),
    TYPE(Every::ByNumber),     TYPE(Every::ByTruth),        TYPE(Every::ByLetter),
    TYPE(Every::BySmall),      TYPE(Every::ByLarge),        TYPE(Every::Leaf),
    TYPE(Every::Flags),        TYPE(Every::Bits),           TYPE(Every::MoreBits),
    TYPE(Every::Modern),       TYPE(Every::Later::Samples), TYPE(Every::Later::Mode),
    TYPE(Every::Later::Inner), TYPE(Every::Again),          TYPE(GlobalStruct),
    TYPE(Every::Value),        TYPE(Every::Values),         TYPE(Every::FewValues),
    TYPE(Every::Property),     TYPE(Every::Properties),     TYPE(Every::Found),
    TYPE(Every::Price),        TYPE(Every::Ledger),         TYPE(Every::ByPrice),
    TYPE(Every::Dynamic),      TYPE(Every::Outer),          EXCEPTION(Every::Empty),
    EXCEPTION(Every::TooMuch), EXCEPTION(Every::Wrapped),   EXCEPTION(Every::Later::Bad),
};
#undef TYPE
#undef EXCEPTION

// Collects the declarations of all types that have values.
void collect(const std::vector<const ir::Declaration*>& contents,
             std::map<std::string, const ir::Declaration*>& into) {
  for (const ir::Declaration* each : contents) {
    const std::string name = ir::scoped_name(each).substr(2);
    switch (each->kind) {
      case ir::DeclKind::module: collect(ir::as<ir::Module>(*each).contents, into); break;
      case ir::DeclKind::interface: collect(ir::as<ir::Interface>(*each).contents, into); break;
      case ir::DeclKind::struct_:
        if (ir::as<ir::Struct>(*each).defined) into[name] = each;
        break;
      case ir::DeclKind::typedef_:
        if (!ir::as<ir::Typedef>(*each).view) into[name] = each;
        break;
      case ir::DeclKind::union_:
      case ir::DeclKind::enum_:
      case ir::DeclKind::bitset:
      case ir::DeclKind::bitmask:
      case ir::DeclKind::exception: into[name] = each; break;
      default: break;
    }
  }
}

class RandomValues : public ::testing::Test {
 protected:
  RandomValues()
      : compiled_(compile(sources_, ORBWEAVER_SOURCE_DIR "/tests/idl/everything.idl", {}, diagnostics_)) {
    EXPECT_TRUE(diagnostics_.ok()) << render_text(diagnostics_, sources_, false);
    collect(compiled_.unit->contents, types_);
  }
  Sources sources_;
  Diagnostics diagnostics_;
  CompileResult compiled_;
  std::map<std::string, const ir::Declaration*> types_;
};

TEST_F(RandomValues, CoverEveryType) {
  for (const auto& [name, type] : types_) EXPECT_TRUE(kTrips.contains(name)) << name << " is not in the list";
  for (const auto& [name, tried] : kTrips) EXPECT_TRUE(types_.contains(name)) << name << " is not in the IDL";
}

TEST_F(RandomValues, RoundTripInBothByteOrders) {
  for (const auto& [name, tried] : kTrips) {
    const ir::Declaration& type = *types_.at(name);
    std::set<Octets> different;
    for (std::uint32_t seed = 0; seed < kValues; ++seed) {
      RandomCdr little(seed, ByteOrder::little), big(seed, ByteOrder::big);
      little.value(type);
      big.value(type);
      const Octets& native = (kNative == ByteOrder::little ? little : big).bytes();
      const Octets& foreign = (kNative == ByteOrder::little ? big : little).bytes();
      const RoundTripResult here = tried.trip(native, false), there = tried.trip(foreign, true);
      ASSERT_EQ(here.bytes, native) << name << ", seed " << seed;
      ASSERT_EQ(there.bytes, native) << name << ", seed " << seed << ", from the other byte order";
      ASSERT_EQ(here.printed, there.printed) << name;
      different.insert(native);
    }
    // The random values must differ, or the test would be meaningless.
    if (name != "Every::Nothing" && name != "Every::WithReference" && name != "Every::Empty") {
      EXPECT_GT(different.size(), 1u) << name;
    }
  }
}

TEST_F(RandomValues, RoundTripInAnysOfBothByteOrders) {
  for (const auto& [name, tried] : kTrips) {
    for (std::uint32_t seed = 0; seed < kValues / 4; ++seed) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      RandomCdr alone(seed, kNative);
      alone.value(*types_.at(name));
      for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        RandomCdr message(seed, order);
        message.begin(tried.type(order != kNative));
        message.value(*types_.at(name));
        tried.take_out(message.bytes(), order != kNative, alone.bytes());
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace orbweaver::idl::testing
