#include "sca/control/given_value.h"

#include <orbweaver/result.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/control/call_error.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;

DeclaredType type(PropertyForm form, const char* name = "", std::vector<MemberType> members = {}) {
  return {form, {name}, std::move(members)};
}

/// The type and the value in JSON.
std::string given(const std::string& text, const std::optional<DeclaredType>& type) {
  try {
    const CORBA::Any any = given_value("a", text, type);
    const auto declared = declared_type_of(any);
    std::string name = declared ? declared->type.name : "none";
    if (declared)
      for (const MemberType& member : declared->members)
        name += " " + member.id + ":" + member.type.name + (member.is_sequence ? "[]" : "");
    return name + " " + any_json(any).dump();
  } catch (const Error& e) {
    return e.message;
  }
}

TEST(GivenValue, HasTheTypeOfThePresentValue) {
  EXPECT_EQ(given("0x10", type(PropertyForm::simple, "ushort")), "ushort 16");
  EXPECT_THAT(given("-1", type(PropertyForm::simple, "ushort")),
              HasSubstr("'-1' is not a value; it must be"));
  EXPECT_EQ(given("[1, 2]", type(PropertyForm::sequence, "float")), "float [1,2]");
  EXPECT_EQ(given("[]", type(PropertyForm::structure_sequence)), " []");
  EXPECT_EQ(
      given("{\"gain\": 1, \"new\": \"x\"}", type(PropertyForm::structure, "", {{"gain", {"octet"}, false}})),
      " gain:octet new:string {\"gain\":1,\"new\":\"x\"}");
  EXPECT_THAT(given("{\"gain\": 300}", type(PropertyForm::structure, "", {{"gain", {"octet"}, false}})),
              HasSubstr("'300' is not a value of type octet"));
  EXPECT_THAT(given("1", type(PropertyForm::sequence, "float")),
              HasSubstr("must be a sequence, such as [1, 2]"));
  EXPECT_THAT(given("[1]", type(PropertyForm::structure)), HasSubstr("must be a struct, such as"));
}

TEST(GivenValue, HasTheTypeThatItLooksLikeOtherwise) {
  EXPECT_EQ(given("7", std::nullopt), "string \"7\"") << "a domain of Orbweaver converts it";
  EXPECT_EQ(given("[1, 2]", std::nullopt), "long [1,2]");
  EXPECT_EQ(given("[1, 2.5]", std::nullopt), "double [1,2.5]");
  EXPECT_EQ(given("[true]", std::nullopt), "boolean [true]");
  EXPECT_EQ(given("[\"a\", 1]", std::nullopt), "string [\"a\",\"1\"]");
  EXPECT_EQ(given("[{\"b\": [5000000000]}]", std::nullopt), " b:longlong[] [{\"b\":[5000000000]}]");
  EXPECT_THAT(given("[[1]]", std::nullopt), HasSubstr("is no value of a property"));
}

}  // namespace
}  // namespace orbweaver::sca
