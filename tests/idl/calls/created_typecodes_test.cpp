// TypeCodes of fixed-point types, native types, local and abstract interfaces, components, homes, value types
// and boxes that are created at run time (CORBA 3.3 part 1, 8.11.3).
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/context.h>
#include <orbweaver/orb.h>
#include <orbweaver/typecode_members.h>

#include "callsC.h"

namespace {

using CORBA::TCKind;
using Type = CORBA::typecode_reference;

class CreatedTypeCodes : public ::testing::Test {
 protected:
  ~CreatedTypeCodes() override { orb_->destroy(); }

  // The minor code of the system exception that `create` raises; 0: none.
  template <class Create>
  static std::uint32_t refusal(Create create) {
    try {
      create();
    } catch (const CORBA::SystemException& e) {
      EXPECT_FALSE(e.detail().empty());
      return e.minor();
    }
    return 0;
  }
  // The TypeCode after it was sent.
  static Type received(const Type& type) {
    std::vector<std::uint8_t> bytes;
    orbweaver::cdr::Encoder out(bytes);
    orbweaver::cdr::encode(out, type);
    out.finish();
    orbweaver::cdr::Decoder in(bytes.data(), bytes.size(), false);
    Type again;
    orbweaver::cdr::decode(in, again);
    EXPECT_TRUE(in.ok()) << orbweaver::cdr::describe(in.fault());
    return again;
  }

  IDL::traits<CORBA::ORB>::ref_type orb_ = CORBA::ORB_init();
};

TEST_F(CreatedTypeCodes, EqualTheCompiledOnes) {
  const Type price = orb_->create_alias_tc("IDL:Calls/Price:1.0", "Price", orb_->create_fixed_tc(9, 2));
  EXPECT_TRUE(price->equal(Calls::_tc_Price));
  EXPECT_TRUE(orb_->create_native_tc("IDL:Calls/Handle:1.0", "Handle")->equal(Calls::_tc_Handle));
  EXPECT_TRUE(orb_->create_local_interface_tc("IDL:Calls/Near:1.0", "Near")->equal(Calls::_tc_Near));
}

TEST_F(CreatedTypeCodes, HaveTheirKindsAndNames) {
  const std::string id = "IDL:M/X:1.0";
  const Type all[] = {orb_->create_abstract_interface_tc(id, "X"), orb_->create_component_tc(id, "X"),
                      orb_->create_home_tc(id, "X"), orb_->create_value_box_tc(id, "X", CORBA::_tc_string),
                      orb_->create_event_tc(id, "X", 0, nullptr, {})};
  const TCKind kinds[] = {TCKind::tk_abstract_interface, TCKind::tk_component, TCKind::tk_home,
                          TCKind::tk_value_box, TCKind::tk_event};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    for (const Type& each : {all[i], received(all[i])}) {
      EXPECT_EQ(each->kind(), kinds[i]);
      EXPECT_EQ(each->id() + " " + each->name(), id + " X");
    }
  }
  EXPECT_TRUE(all[3]->content_type()->equal(CORBA::_tc_string));
}

TEST_F(CreatedTypeCodes, DescribeValueTypes) {
  const Type base =
      orb_->create_value_tc("IDL:M/Base:1.0", "Base", 0, nullptr,
                            {{"number", "", "", "", CORBA::_tc_long, nullptr, CORBA::PUBLIC_MEMBER}});
  // A list: its last member refers to the type itself.
  const Type list = orb_->create_value_tc(
      "IDL:M/List:1.0", "List", 3, base,
      {{"text", "", "", "", CORBA::_tc_string, nullptr, CORBA::PRIVATE_MEMBER},
       {"next", "", "", "", orb_->create_recursive_tc("IDL:M/List:1.0"), nullptr, CORBA::PUBLIC_MEMBER}});
  for (const Type& each : {list, received(list)}) {
    EXPECT_EQ(each->kind(), TCKind::tk_value);
    EXPECT_EQ(each->type_modifier(), 3);
    EXPECT_TRUE(each->concrete_base_type()->equal(base));
    ASSERT_EQ(each->member_count(), 2u);
    EXPECT_EQ(each->member_name(0) + " " + each->member_name(1), "text next");
    EXPECT_EQ(each->member_visibility(0), CORBA::PRIVATE_MEMBER);
    EXPECT_EQ(each->member_visibility(1), CORBA::PUBLIC_MEMBER);
    EXPECT_TRUE(each->member_type(1)->equal(each));
  }
  EXPECT_TRUE(received(list)->equal(list));
}

TEST_F(CreatedTypeCodes, AreRejectedWithInvalidArguments) {
  const std::string id = "IDL:M/V:1.0";
  const auto value = [&](std::int16_t modifier, const Type& base, std::int16_t access) {
    orb_->create_value_tc(id, "V", modifier, base, {{"m", "", "", "", CORBA::_tc_long, nullptr, access}});
  };
  EXPECT_EQ(refusal([&] { orb_->create_fixed_tc(0, 0); }), 0x4f570123u);
  EXPECT_EQ(refusal([&] { orb_->create_fixed_tc(32, 0); }), 0x4f570123u);
  EXPECT_EQ(refusal([&] { orb_->create_fixed_tc(5, 6); }), 0x4f570123u);
  EXPECT_EQ(refusal([&] { orb_->create_fixed_tc(5, -1); }), 0x4f570123u);
  EXPECT_EQ(refusal([&] { value(4, nullptr, 0); }), 0x4f570124u);
  EXPECT_EQ(refusal([&] { value(0, nullptr, 2); }), 0x4f570124u);
  EXPECT_EQ(refusal([&] { value(0, CORBA::_tc_long, 0); }), 0x4f4d0002u);
  EXPECT_EQ(refusal([&] { value(0, nullptr, 1); }), 0u);
  EXPECT_EQ(refusal([&] { orb_->create_native_tc("", "N"); }), 0x4f4d0010u);
  EXPECT_EQ(refusal([&] { orb_->create_home_tc(id, "1"); }), 0x4f4d000fu);
  EXPECT_EQ(refusal([&] { orb_->create_value_box_tc(id, "B", nullptr); }), 0x4f4d0002u);
}

TEST(DefaultContext, IsSharedByTheProcess) {
  const auto one = CORBA::ORB_init(), two = CORBA::ORB_init();
  EXPECT_NE(one->get_default_context(), nullptr);
  EXPECT_TRUE(one->get_default_context() == two->get_default_context());
  one->destroy();
}

}  // namespace
