// Answers that no etcd sends: those of another program at its address, or of one in between.
#include "etcd/etcd_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base64/base64.h"

namespace orbweaver::etcd {
namespace {

using Json = nlohmann::json;

/// A RangeResponse with these keys.
Json range_of(const std::vector<std::string>& keys, bool more = false) {
  Json pairs = Json::array();
  for (const std::string& key : keys) pairs.push_back({{"key", to_base64(key)}, {"value", ""}});
  return {{"kvs", pairs}, {"more", more}};
}

/// Whether it is accepted as a part of the keys that begin with "p/".
bool is_accepted(const Json& reply, const std::string& first = "p/") {
  const auto range = parse_range(reply, first, end_of_prefix("p/"));
  EXPECT_TRUE(range || range.error().kind == ErrorKind::invalid);
  return static_cast<bool>(range);
}

TEST(EtcdMessages, AcceptsAscendingKeysOfTheRange) {
  EXPECT_TRUE(is_accepted(range_of({})));
  EXPECT_TRUE(is_accepted(range_of({"p/", "p/a", "p/a/b", "p/\xff"}, true)));
  EXPECT_TRUE(is_accepted(range_of({"p/b"}), std::string("p/a\0", 4)));
}

TEST(EtcdMessages, RejectsKeysOutsideOfTheRange) {
  EXPECT_FALSE(is_accepted(range_of({"p"}))) << "shorter than the prefix";
  EXPECT_FALSE(is_accepted(range_of({"p0"})));
  EXPECT_FALSE(is_accepted(range_of({""})));
}

TEST(EtcdMessages, RejectsPagesWithoutAnEnd) {
  EXPECT_FALSE(is_accepted(range_of({"p/a"}, true), std::string("p/a\0", 4))) << "the page before it, again";
  EXPECT_FALSE(is_accepted(range_of({"p/b", "p/a"})));
  EXPECT_FALSE(is_accepted(range_of({"p/a", "p/a"})));
  EXPECT_FALSE(is_accepted(range_of({}, true)));
}

TEST(EtcdMessages, ReadsMembersOfTheExpectedTypesOnly) {
  const Json json{{"text", "a"}, {"number", 1}, {"null", nullptr}, {"yes", true}, {"no", false}};
  EXPECT_EQ(text_member(json, "text"), "a");
  for (const char* const name : {"number", "null", "yes", "none"})
    EXPECT_EQ(text_member(json, name), "") << name;
  EXPECT_TRUE(is_true(json, "yes"));
  for (const char* const name : {"no", "text", "number", "null", "none"})
    EXPECT_FALSE(is_true(json, name)) << name;
  EXPECT_EQ(text_member(Json::array(), "text"), "");
  EXPECT_FALSE(is_true(Json(5), "yes"));
}

}  // namespace
}  // namespace orbweaver::etcd
