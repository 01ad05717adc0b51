// The encoding of values (CORBA 3.3 part 2, 9.3.4): tags, sharing, chunks, truncation, malformed bytes.
#include <gmock/gmock.h>
#include <orbweaver/limits.h>

#include <cstring>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "values.h"

namespace valuetest {
namespace {

namespace cdr = orbweaver::cdr;
using cdr::Fault;
using BaseRef = IDL::traits<Values::Base>::ref_type;
using LongBoxRef = IDL::traits<Values::LongBox>::ref_type;

/// While it exists, the leak sanitizer ignores what the thread allocates.
struct UncheckedLeaks {
#ifdef __SANITIZE_ADDRESS__
  __lsan::ScopedDisabler disabler;
#endif
  UncheckedLeaks() {}  // not trivial: the object is used
};

/// Values as another ORB may write them, in either byte order.
class Wire {
 public:
  explicit Wire(bool little = cdr::testing::kLittleEndianHost) : little_(little) {}
  Wire& align(std::size_t n) {
    while (bytes_.size() % n != 0) bytes_.push_back(0xee);
    return *this;
  }
  Wire& octet(unsigned value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    return *this;
  }
  Wire& ulong(std::uint32_t value) {
    align(4);
    for (int i = 0; i < 4; ++i) octet(value >> (little_ ? 8 * i : 24 - 8 * i));
    return *this;
  }
  Wire& real(double value) {
    align(8);
    std::uint64_t bits;
    std::memcpy(&bits, &value, 8);
    for (int i = 0; i < 8; ++i) octet(static_cast<unsigned>(bits >> (little_ ? 8 * i : 56 - 8 * i)));
    return *this;
  }
  Wire& text(const std::string& value) {
    ulong(static_cast<std::uint32_t>(value.size() + 1));
    for (const char c : value) octet(static_cast<std::uint8_t>(c));
    return octet(0);
  }
  Wire& id(const std::string& name) { return text("IDL:Values/" + name + ":1.0"); }
  /// A chunk of what `fill` writes.
  template <class Fill>
  Wire& chunk(const Fill& fill) {
    ulong(0);
    const std::size_t begin = bytes_.size();
    fill(*this);
    const std::size_t bytes = bytes_.size() - begin;
    for (int i = 0; i < 4; ++i)
      bytes_[begin - 4 + static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(bytes >> (little_ ? 8 * i : 24 - 8 * i));
    return *this;
  }
  Wire& end(int level) { return ulong(static_cast<std::uint32_t>(-level)); }
  Wire& indirection(std::size_t target) {
    ulong(0xffffffff);
    return ulong(static_cast<std::uint32_t>(target) - static_cast<std::uint32_t>(bytes_.size()));
  }
  std::size_t size() {
    align(4);
    return bytes_.size();
  }
  cdr::Decoder open() const {
    return {bytes_.data(), bytes_.size(), little_ != cdr::testing::kLittleEndianHost};
  }

 private:
  const bool little_;
  Octets bytes_;
};

template <class V>
CORBA::object_reference<V> get(cdr::Decoder& in) {
  CORBA::object_reference<V> value;
  cdr::decode(in, value);
  return value;
}
/// Reads values that share one space of indirections.
template <class... V>
std::tuple<CORBA::object_reference<V>...> read(cdr::Decoder in, Fault expected = Fault::none) {
  std::tuple<CORBA::object_reference<V>...> values;
  {
    const cdr::ValueReadScope scope(in);
    std::apply([&](auto&... each) { (cdr::decode(in, each), ...); }, values);
  }
  EXPECT_EQ(in.fault(), expected) << cdr::describe(in.fault()) << " at " << in.fault_offset();
  return values;
}
cdr::Decoder native(const Octets& bytes) { return {bytes.data(), bytes.size(), false}; }

constexpr std::uint32_t kSingle = 0x7fffff02, kList = 0x7fffff06, kSingleChunked = 0x7fffff0a,
                        kListChunked = 0x7fffff0e, kNoType = 0x7fffff00, kWithUrl = 0x7fffff03;

struct ValueEncoding : testing::TestWithParam<bool> {
  AllFactories factories;
};
INSTANTIATE_TEST_SUITE_P(ByOrder, ValueEncoding, testing::Bool(),
                         [](const auto& test) { return test.param ? "LittleEndian" : "BigEndian"; });
struct ValueEncodings : testing::Test {
  AllFactories factories;
};

TEST_F(ValueEncodings, WritesTagIdAndState) {
  const Octets bytes = encoded_values(LongBoxRef(CORBA::make_reference<Values::LongBox>(5)), LongBoxRef());
  Wire expected;
  expected.ulong(kSingle).id("LongBox").ulong(5).ulong(0);
  const auto in = expected.open();
  ASSERT_EQ(bytes.size(), in.remaining());
  const auto [box, null] = read<Values::LongBox, Values::LongBox>(native(bytes));
  EXPECT_EQ(box->_value(), 5);
  EXPECT_EQ(null, nullptr);
}

TEST_F(ValueEncodings, SharesValuesAndIds) {
  const NodeRef a = node(1, "a"), b = node(2, "b");
  const std::size_t one = encoded_values(a).size();
  EXPECT_EQ(encoded_values(a, a).size(), (one + 3) / 4 * 4 + 8);  // a tag and an offset
  EXPECT_LT(encoded_values(a, b).size(), 2 * one);                // the second id is an indirection
  const auto [first, second, third] =
      read<Values::Node, Values::Node, Values::Node>(native(encoded_values(a, b, a)));
  EXPECT_EQ(first, third);
  EXPECT_NE(first, second);
  EXPECT_EQ(second->name(), "b");
}

TEST_F(ValueEncodings, KeepsCycles) {
  const NodeRef a = node(1, "a");
  a->next(a);
  a->children({a, nullptr, a});
  const auto [copy] = read<Values::Node>(native(encoded_values(a)));
  EXPECT_EQ(copy->next(), copy);
  EXPECT_EQ(copy->children(), (Values::Nodes{copy, nullptr, copy}));
  for (const NodeRef& each : {a, copy}) {
    each->next(nullptr);
    each->children({});
  }
}

TEST_F(ValueEncodings, RejectsCyclesUnlessTheProgramAcceptsThem) {
  orbweaver::accept_cyclic_values(false);
  const NodeRef a = node(1, "a"), b = node(2, "b");
  const auto fault = [&] {
    const Octets bytes = encoded_values(a);
    cdr::Decoder in(bytes.data(), bytes.size(), false);
    const cdr::ValueReadScope scope(in);
    (void)get<Values::Node>(in);
    return in.fault();
  };
  a->next(b);
  a->children({b, b});  // shared, without a cycle
  EXPECT_EQ(fault(), Fault::none);
  b->next(a);
  EXPECT_EQ(fault(), Fault::bad_value);
  EXPECT_THROW(a->_copy_value(), CORBA::MARSHAL);
  b->next(nullptr);
}

TEST_F(ValueEncodings, WritesTruncatableTypesInChunks) {
  const NodeRef shared = node(6, "six");
  const auto d = IDL::traits<Values::MostDerived>::make_reference(
      std::uint8_t{1}, 2.5, CORBA::make_reference<Values::Text>("t"), std::uint8_t{3}, 4.0L,
      Values::Samples{5.0, 5.5}, shared, L"w\u20ac");
  const Octets bytes = encoded_values(BaseRef(d), shared, BaseRef(d));
  {
    const auto [base, same, again] = read<Values::Base, Values::Node, Values::Base>(native(bytes));
    const auto whole = Values::MostDerived::_downcast(base);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->caption()->_value(), "t");
    EXPECT_EQ(whole->q(), 4.0L);
    EXPECT_EQ(whole->values(), (Values::Samples{5.0, 5.5}));
    EXPECT_EQ(whole->first(), same);
    EXPECT_EQ(base, again);
  }
  orbweaver::unregister_value_factory("IDL:Values/MostDerived:1.0");
  orbweaver::unregister_value_factory("IDL:Values/Derived:1.0");
  const auto [base, node_of_rest, again] = read<Values::Base, Values::Node, Values::Base>(native(bytes));
  EXPECT_EQ(Values::Derived::_downcast(base), nullptr);
  EXPECT_EQ(base->d(), 2.5);
  EXPECT_EQ(base->caption()->_value(), "t");
  EXPECT_EQ(base, again);
  // The node is in the state that was skipped.
  ASSERT_NE(node_of_rest, nullptr);
  EXPECT_EQ(node_of_rest->name(), "six");
}

TEST_F(ValueEncodings, RaisesMarshalWithoutAFactory) {
  const Octets bytes = encoded_values(node(1, "a"));
  orbweaver::unregister_value_factory("IDL:Values/Node:1.0");
  cdr::Decoder in = native(bytes);
  EXPECT_EQ(get<Values::Node>(in), nullptr);
  EXPECT_EQ(in.fault(), Fault::no_value_factory);
  EXPECT_EQ(cdr::minor_code(in), 0x4f4d0001u);
  try {
    node(1, "a")->_copy_value();
    ADD_FAILURE() << "copied";
  } catch (const CORBA::MARSHAL& e) {
    EXPECT_EQ(e.minor(), 0x4f4d0001u);
  }
}

TEST_F(ValueEncodings, DoesNotTruncateOtherTypes) {
  const auto sealed = IDL::traits<Values::Sealed>::make_reference();
  const Octets bytes = encoded_values(BaseRef(sealed));
  EXPECT_NE(Values::Sealed::_downcast(std::get<0>(read<Values::Base>(native(bytes)))), nullptr);
  orbweaver::unregister_value_factory("IDL:Values/Sealed:1.0");
  read<Values::Base>(native(bytes), Fault::no_value_factory);
}

TEST_F(ValueEncodings, LetsTheProgramMarshalCustomValues) {
  const auto packed = CORBA::make_reference<PackedValue>();
  packed->values({1.5, 2.5});
  packed->first(node(3, "three"));
  const auto holder = IDL::traits<Values::Holder>::make_reference(packed, 9);
  const auto [copy, same] =
      read<Values::Holder, Values::Node>(native(encoded_values(holder, packed->first())));
  EXPECT_EQ(copy->behind(), 9);
  const auto* inside = dynamic_cast<PackedValue*>(copy->content().get());
  ASSERT_NE(inside, nullptr);
  EXPECT_EQ(inside->seven, 7);
  EXPECT_EQ(inside->end, L"end");
  EXPECT_EQ(copy->content()->values(), packed->values());
  EXPECT_EQ(copy->content()->first(), same);
  EXPECT_THROW(inside->stream->read_octet(), CORBA::BAD_INV_ORDER);
}

TEST_F(ValueEncodings, IsTheSameAtEveryOffsetAndInGiop11) {
  const auto wide = IDL::traits<Values::MostDerived>::make_reference(
      std::uint8_t{1}, 2.5, nullptr, std::uint8_t{3}, 4.0L, Values::Samples{5.0}, node(1), L"wide \u20ac");
  for (const auto form : {cdr::WcharEncoding::giop_1_2, cdr::WcharEncoding::giop_1_1}) {
    for (std::size_t offset = 0; offset < 8; ++offset) {
      Octets bytes;
      cdr::Encoder out(bytes);
      out.wchar_encoding(form);
      out.take(offset);
      const auto write = [&](cdr::Encoder& o) {
        cdr::encode(o, BaseRef(wide));
        cdr::encode(o, BaseRef(wide));
      };
      const cdr::EncodedValues both(write);
      both.write(out);
      out.finish();
      EXPECT_LE(bytes.size() - offset, both.bound()) << offset;
      cdr::Decoder in = native(bytes);
      in.wchar_encoding(form);
      in.skip(offset);
      const cdr::ValueReadScope scope(in);
      const auto first = get<Values::Base>(in), second = get<Values::Base>(in);
      ASSERT_TRUE(in.ok()) << cdr::describe(in.fault());
      EXPECT_EQ(first, second);
      EXPECT_NE(Values::MostDerived::_downcast(first), nullptr);
    }
  }
}

TEST_P(ValueEncoding, ReadsStateSplitIntoChunks) {
  Wire wire(GetParam());
  wire.ulong(kListChunked).ulong(2).id("Derived").id("Base");
  wire.chunk([](Wire& w) { w.octet(1); });
  wire.chunk([](Wire& w) { w.real(2.5).ulong(0); });  // d, and null within a chunk
  wire.chunk([](Wire& w) { w.octet(3).align(4); });   // p, and padding
  wire.chunk([](Wire& w) { w.real(0).real(0); });     // q
  wire.chunk([](Wire& w) { w.ulong(3).real(1); });    // values: the length and an element
  wire.chunk([](Wire& w) { w.real(2); });
  wire.chunk([](Wire& w) { w.real(3); });
  const std::size_t at = wire.size();
  wire.ulong(kSingleChunked).id("Node");  // first
  wire.chunk([](Wire& w) { w.ulong(7).ulong(5).octet('a').octet('b'); });
  wire.chunk([&](Wire& w) { w.octet('c').octet('d').octet(0).indirection(at).ulong(0); });
  wire.chunk([](Wire& w) { w.ulong(2).ulong(0); });
  wire.chunk([&](Wire& w) { w.indirection(at); });
  wire.end(1);  // ends both
  wire.ulong(kSingle).id("LongBox").ulong(8);
  const auto [base, box] = read<Values::Base, Values::LongBox>(wire.open());
  const auto d = Values::Derived::_downcast(base);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->o(), 1);
  EXPECT_EQ(d->d(), 2.5);
  EXPECT_EQ(d->p(), 3);
  EXPECT_EQ(d->values(), (Values::Samples{1, 2, 3}));
  ASSERT_NE(d->first(), nullptr);
  EXPECT_EQ(d->first()->name(), "abcd");
  EXPECT_EQ(d->first()->next(), d->first());
  EXPECT_EQ(d->first()->children(), (Values::Nodes{nullptr, d->first()}));
  EXPECT_EQ(box->_value(), 8);
  d->first()->next(nullptr);
  d->first()->children({});
}

TEST_P(ValueEncoding, ReadsUrlsAndTypesThatAreOmitted) {
  Wire wire(GetParam());
  const std::size_t url = 4;
  wire.ulong(kWithUrl).text("http://codebase").id("LongBox").ulong(1);
  wire.ulong(kNoType).ulong(2);
  wire.ulong(kWithUrl).indirection(url).id("LongBox").ulong(3);
  const auto [a, b, c] = read<Values::LongBox, Values::LongBox, Values::LongBox>(wire.open());
  EXPECT_EQ(a->_value() + b->_value() + c->_value(), 6);
}

TEST_P(ValueEncoding, SharesListsOfIds) {
  Wire wire(GetParam());
  for (int i = 0; i < 2; ++i) {
    wire.ulong(kListChunked);
    if (i == 0)
      wire.ulong(2).id("Unknown").id("Base");
    else
      wire.indirection(4);
    wire.chunk([](Wire& w) { w.octet(1).real(2).ulong(0); });
    wire.chunk([](Wire& w) { w.text("the state of the unknown type"); });
    wire.ulong(kSingleChunked).id("Unknown").chunk([](Wire& w) { w.octet(9); });
    wire.ulong(kSingleChunked).indirection(8).chunk([](Wire& w) { w.octet(9); });
    wire.end(i == 0 ? 2 : 1);  // with the skipped values, or without
    if (i == 0) wire.end(1);
  }
  const auto [a, b] = read<Values::Base, Values::Base>(wire.open());
  EXPECT_EQ(a->d() + b->d(), 4);
}

struct Malformed {
  const char* name;
  Fault fault;
  void (*write)(Wire& wire);
};
void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.name; }
constexpr Malformed kMalformed[] = {
    {"TagOfNoValue", Fault::bad_value, [](Wire& w) { w.ulong(17); }},
    {"UnknownFlags", Fault::bad_value, [](Wire& w) { w.ulong(0x7fffff12).id("Base"); }},
    {"UnknownTypeInformation", Fault::bad_value, [](Wire& w) { w.ulong(0x7fffff04).id("Base"); }},
    {"IndirectionForward", Fault::bad_value, [](Wire& w) { w.ulong(0xffffffff).ulong(8).ulong(0).ulong(0); }},
    {"IndirectionToItself", Fault::bad_value, [](Wire& w) { w.ulong(0xffffffff).ulong(0xfffffffc); }},
    {"IndirectionBeforeTheMessage", Fault::bad_value, [](Wire& w) { w.indirection(0xfffffff0); }},
    {"IndirectionIntoAValue", Fault::bad_value,
     [](Wire& w) { w.ulong(kSingle).id("Base").octet(1).real(0).indirection(4); }},
    {"IndirectionToMinimum", Fault::bad_value, [](Wire& w) { w.ulong(0xffffffff).ulong(0x80000000); }},
    {"IdByIndirectionToAValue", Fault::bad_value, [](Wire& w) { w.ulong(kSingle).indirection(0); }},
    {"ListOfNoIds", Fault::bad_value, [](Wire& w) { w.ulong(kListChunked).ulong(0); }},
    {"ListOfManyIds", Fault::bad_length, [](Wire& w) { w.ulong(kListChunked).ulong(0x10000000).ulong(0); }},
    {"NoTypeForAnAbstractOne", Fault::no_value_factory, [](Wire& w) { w.ulong(kSingle).id("Countable"); }},
    {"OtherType", Fault::bad_value, [](Wire& w) { w.ulong(kSingle).id("LongBox").ulong(1); }},
    {"ChunkBeyondTheMessage", Fault::bad_length,
     [](Wire& w) { w.ulong(kSingleChunked).id("Base").ulong(100).octet(1); }},
    {"ValueWithoutChunksInChunks", Fault::bad_value,
     [](Wire& w) {
       w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) { c.octet(1).real(2); });
       w.ulong(kSingle).id("Text").text("t");
     }},
    {"ValueWithinAChunk", Fault::bad_value,
     [](Wire& w) {
       w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) {
         c.octet(1).real(2).ulong(kSingleChunked).id("Text");
       });
     }},
    {"EndOfDeeperLevel", Fault::bad_value,
     [](Wire& w) {
       w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) { c.octet(1).real(2).ulong(0); });
       w.end(2);
     }},
    {"NoEnd", Fault::truncated,
     [](Wire& w) { w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) { c.octet(1).real(2).ulong(0); }); }},
    {"StateEndsEarly", Fault::truncated,
     [](Wire& w) { w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) { c.octet(1); }).end(1); }},
    {"StateGoesOn", Fault::bad_value,
     [](Wire& w) {
       w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) { c.octet(1).real(2).ulong(0).ulong(0); });
       w.end(1);
     }},
    {"PrimitiveSplit", Fault::truncated,
     [](Wire& w) {
       w.ulong(kSingleChunked).id("Base").chunk([](Wire& c) { c.octet(1).align(8).ulong(0); });
       w.chunk([](Wire& c) { c.ulong(0).ulong(0); }).end(1);
     }},
    {"ListWithoutChunks", Fault::no_value_factory,
     [](Wire& w) { w.ulong(kList).ulong(2).id("Unknown").id("Base").octet(1).real(2).ulong(0); }},
};

struct MalformedValue : testing::TestWithParam<Malformed> {
  AllFactories factories;
};
INSTANTIATE_TEST_SUITE_P(Bytes, MalformedValue, testing::ValuesIn(kMalformed),
                         [](const auto& test) { return std::string(test.param.name); });
TEST_P(MalformedValue, IsRejected) {
  for (const bool little : {false, true}) {
    Wire wire(little);
    GetParam().write(wire);
    const auto [base] = read<Values::Base>(wire.open(), GetParam().fault);
    EXPECT_EQ(base, nullptr);
  }
}

TEST_F(ValueEncodings, LimitsTheNestingOfValues) {
  NodeRef list;
  const int most = orbweaver::limits::kMaxValueNesting;
  for (int i = 0; i < most; ++i) {
    const NodeRef head = node(i);
    head->next(list);
    list = head;
  }
  const Octets bytes = encoded_values(list);
  EXPECT_EQ(std::get<0>(read<Values::Node>(native(bytes)))->number(), most - 1);
  const NodeRef longer = node(most);
  longer->next(list);
  EXPECT_THROW(encoded_values(longer), CORBA::MARSHAL);
  Wire wire;
  for (int i = 0; i <= most; ++i) wire.ulong(kSingle).id("Node").ulong(1).text("");
  read<Values::Node>(wire.open(), Fault::too_deep);
}

// Otherwise the work for a message would grow with the square of its size.
TEST_F(ValueEncodings, LimitsTheRepetitionOfLongIds) {
  Wire wire;
  wire.ulong(kListChunked).ulong(2).text(std::string(20'000, 'x')).id("Base");
  wire.chunk([](Wire& w) { w.octet(1).real(2).ulong(0); }).end(1);
  for (int i = 0; i < 2'000; ++i) {
    wire.ulong(kListChunked).indirection(4);
    wire.chunk([](Wire& w) { w.octet(1).real(2).ulong(0); }).end(1);
  }
  cdr::Decoder in = wire.open();
  const cdr::ValueReadScope scope(in);
  int values = 0;
  while (get<Values::Base>(in) != nullptr) ++values;
  EXPECT_EQ(in.fault(), Fault::too_many_steps);
  EXPECT_LT(values, 200);
}

TEST_F(ValueEncodings, RejectsEveryPrefixAndSurvivesEveryChangedByte) {
  const NodeRef shared = node(6, "six");
  shared->children({shared});
  const auto d = IDL::traits<Values::MostDerived>::make_reference(
      std::uint8_t{1}, 2.5, CORBA::make_reference<Values::Text>("t"), std::uint8_t{3}, 4.0L,
      Values::Samples{5.0, 5.5}, shared, L"w\u20ac");
  Octets bytes = encoded_values(BaseRef(d), shared);
  const auto try_to_read = [&](std::size_t n) {
    const UncheckedLeaks unchecked;  // a changed byte may make a cycle, which keeps its values
    cdr::Decoder in(bytes.data(), n, false);
    const cdr::ValueReadScope scope(in);
    const auto base = get<Values::Base>(in);
    const auto last = get<Values::Node>(in);
    if (last != nullptr) last->children({});  // breaks the cycle
    if (const auto whole = Values::Derived::_downcast(base); whole != nullptr && whole->first() != nullptr)
      whole->first()->children({});
    return in.ok();
  };
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(try_to_read(n)) << n;
  EXPECT_TRUE(try_to_read(bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned changed : {0x00u, 0xffu, 0x7fu, bytes[at] ^ 0x04u}) {
      const std::uint8_t before = std::exchange(bytes[at], static_cast<std::uint8_t>(changed));
      try_to_read(bytes.size());
      bytes[at] = before;
    }
  }
  shared->children({});
}

}  // namespace
}  // namespace valuetest
