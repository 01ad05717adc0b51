// Values in anys: along their TypeCodes if their C++ type is not known.
#include <gmock/gmock.h>
#include <orbweaver/any.h>

#include <sstream>

#include "values.h"

namespace valuetest {
namespace {

namespace cdr = orbweaver::cdr;
using BaseRef = IDL::traits<Values::Base>::ref_type;

Octets encoded_any(const CORBA::Any& any, std::size_t offset) {
  Octets bytes;
  cdr::Encoder out(bytes);
  out.take(offset);
  cdr::encode(out, any);
  out.finish();
  return bytes;
}
CORBA::Any decoded_any(const Octets& bytes, std::size_t offset) {
  cdr::Decoder in(bytes.data(), bytes.size(), false);
  in.skip(offset);
  CORBA::Any any;
  cdr::decode(in, any);
  EXPECT_TRUE(in.ok()) << cdr::describe(in.fault());
  EXPECT_EQ(in.remaining(), 0u);
  return any;
}
std::string printed(const CORBA::Any& any) {
  std::ostringstream os;
  os << any;
  return os.str();
}

struct ValueAny : testing::Test {
  AllFactories factories;
};

TEST_F(ValueAny, HasTheTypeOfTheValue) {
  CORBA::Any any;
  const BaseRef d = IDL::traits<Values::Derived>::make_reference();
  any <<= d;
  EXPECT_TRUE(any.type()->equal(Values::_tc_Derived));
  BaseRef base;
  ASSERT_TRUE(any >>= base);
  EXPECT_NE(Values::Derived::_downcast(base), nullptr);
  IDL::traits<Values::MostDerived>::ref_type other;
  EXPECT_FALSE(any >>= other);
  NodeRef n;
  EXPECT_FALSE(any >>= n);
  IDL::traits<CORBA::ValueBase>::ref_type value;
  EXPECT_TRUE(any >>= value);
  any <<= NodeRef();
  EXPECT_TRUE(any.type()->equal(Values::_tc_Node));
  n = node(1);
  ASSERT_TRUE(any >>= n);
  EXPECT_EQ(n, nullptr);
  any <<= CORBA::make_reference<Values::LongBox>(5);
  IDL::traits<Values::LongBox>::ref_type box;
  ASSERT_TRUE(any >>= box);
  EXPECT_EQ(box->_value(), 5);
  EXPECT_FALSE(any >>= n);
}

TEST_F(ValueAny, SharesValuesWithinContainers) {
  const NodeRef n = node(1, "one");
  CORBA::Any any;
  any <<= Values::Nodes{n, n, nullptr};
  Values::Nodes nodes;
  ASSERT_TRUE(any >>= nodes);
  EXPECT_EQ(nodes[0], nodes[1]);
  any <<= Values::Pair(n, n);
  Values::Pair pair;
  ASSERT_TRUE(any >>= pair);
  EXPECT_EQ(pair.left(), pair.right());
  any <<= Values::Spent("why", n, n);
  Values::Spent spent;
  ASSERT_TRUE(any >>= spent);
  EXPECT_EQ(spent.where(), spent.whence());
}

// The receiver knows the TypeCode alone: the values are copied at every offset and in the other byte order.
TEST_F(ValueAny, IsPassedOnWithoutFactories) {
  const NodeRef n = node(1, "one");
  n->children({n, node(2, "two"), nullptr});
  n->children().push_back(n->children()[1]);
  const auto d = IDL::traits<Values::MostDerived>::make_reference(
      std::uint8_t{1}, 2.5, CORBA::make_reference<Values::Text>("t"), std::uint8_t{3}, 4.0L,
      Values::Samples{5.0, 5.5}, n, L"wide");
  CORBA::Any any;
  any <<= IDL::traits<Values::MostDerived>::ref_type(d);
  std::vector<CORBA::Any> passed;
  orbweaver::unregister_value_factory("IDL:Values/Node:1.0");
  orbweaver::unregister_value_factory("IDL:Values/MostDerived:1.0");
  for (std::size_t offset = 0; offset < 8; ++offset) {
    any = decoded_any(encoded_any(any, offset), offset);
    passed.push_back(any);
  }
  orbweaver::register_value_factory<Values::Node, NodeFactory>();
  orbweaver::register_value_factory<Values::MostDerived>();
  for (const CORBA::Any& each : passed) {
    IDL::traits<Values::MostDerived>::ref_type copy;
    ASSERT_TRUE(each >>= copy);
    EXPECT_EQ(copy->caption()->_value(), "t");
    EXPECT_EQ(copy->values().size(), 2u);
    const NodeRef first = copy->first();
    EXPECT_EQ(first->children()[0], first);
    EXPECT_EQ(first->children()[1], first->children()[3]);
    EXPECT_EQ(first->children()[1]->name(), "two");
    first->children({});
  }
  n->children({});
}

TEST_F(ValueAny, CopiesCustomValuesWithTheirFactory) {
  const auto packed = CORBA::make_reference<PackedValue>();
  packed->values({1.5});
  packed->first(node(3, "three"));
  CORBA::Any any;
  any <<= IDL::traits<Values::Holder>::make_reference(packed, 9);
  any = decoded_any(encoded_any(any, 4), 4);
  IDL::traits<Values::Holder>::ref_type holder;
  ASSERT_TRUE(any >>= holder);
  EXPECT_EQ(holder->behind(), 9);
  EXPECT_EQ(holder->content()->first()->name(), "three");
}

// As other ORBs write them: with indirections from one any to a value in an earlier one.
TEST_F(ValueAny, ReadsSharingAcrossAnys) {
  CORBA::Any any;
  any <<= node(7, "seven");
  Octets bytes = encoded_any(any, 0);
  const std::size_t type_bytes = encoded_any(any, 0).size() - cdr::testing::encoded(node(7, "seven")).size();
  const Octets type = cdr::testing::encoded(Values::_tc_Node);
  ASSERT_LE(type.size(), type_bytes);
  const std::size_t value = (type.size() + 3) / 4 * 4;
  bytes.resize((bytes.size() + 3) / 4 * 4);
  bytes.insert(bytes.end(), type.begin(), type.end());
  bytes.resize((bytes.size() + 3) / 4 * 4);
  const std::uint32_t tag = 0xffffffff;
  const std::int32_t distance =
      static_cast<std::int32_t>(value) - static_cast<std::int32_t>(bytes.size() + 4);
  bytes.insert(bytes.end(), reinterpret_cast<const std::uint8_t*>(&tag),
               reinterpret_cast<const std::uint8_t*>(&tag) + 4);
  bytes.insert(bytes.end(), reinterpret_cast<const std::uint8_t*>(&distance),
               reinterpret_cast<const std::uint8_t*>(&distance) + 4);
  cdr::Decoder in(bytes.data(), bytes.size(), false);
  CORBA::Any first, second;
  cdr::decode(in, first);
  cdr::decode(in, second);
  ASSERT_TRUE(in.ok()) << cdr::describe(in.fault());
  NodeRef n;
  ASSERT_TRUE(second >>= n);
  EXPECT_EQ(n->name(), "seven");
}

TEST_F(ValueAny, PrintsValuesAlongTheirTypeCode) {
  const NodeRef n = node(1, "one");
  n->next(n);
  CORBA::Any any;
  any <<= n;
  EXPECT_EQ(printed(any), "Node{number: 1, name: \"one\", next: {…}, other: null, children: []}");
  n->next(nullptr);
  any <<= CORBA::make_reference<Values::LongBox>(5);
  EXPECT_EQ(printed(any), "LongBox{5}");
  any <<= IDL::traits<Values::Derived>::make_reference();
  EXPECT_EQ(printed(any), "Derived{o: 0, d: 0, caption: null, p: 0, q: 0, values: [], first: null}");
  any <<= NodeRef();
  EXPECT_EQ(printed(any), "Node(null)");
  any <<= IDL::traits<Values::LongBox>::ref_type();
  EXPECT_EQ(printed(any), "LongBox(null)");
}

}  // namespace
}  // namespace valuetest
