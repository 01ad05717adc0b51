#include "services/naming/name_text.h"

#include <gtest/gtest.h>

namespace orbweaver::naming {
namespace {

using InvalidName = CosNaming::NamingContext::InvalidName;
using InvalidAddress = CosNaming::NamingContextExt::InvalidAddress;
using CosNaming::NameComponent;

TEST(NameText, ConvertsBetweenTextAndName) {
  for (const char* text : {"a", "a.b", "a.b/c", ".", ".k", "././.", "a\\.b/\\/c\\\\.k", "\\.", "x\\/.y\\."})
    EXPECT_EQ(to_text(to_name(text)), text);
  EXPECT_EQ(to_name("a\\.b/\\/c")[0].id(), "a.b");
  EXPECT_EQ(to_name(".")[0].id(), "");
  EXPECT_EQ(to_name(".k")[0].kind(), "k");
  EXPECT_EQ(to_text({NameComponent("", ""), NameComponent("", "/")}), "./.\\/");
}

TEST(NameText, RejectsInvalidText) {
  for (const char* bad : {"", "/", "a/", "/a", "a//b", "a.b.c", "a\\", "a\\x", "a.", ".."})
    EXPECT_THROW(to_name(bad), InvalidName) << bad;
  EXPECT_THROW(to_text({}), InvalidName);
}

TEST(NameText, RejectsNullCharacters) {
  const std::string with_null("a\0b", 3);
  EXPECT_THROW(to_text({NameComponent(with_null, "")}), InvalidName);
  EXPECT_THROW(to_text({NameComponent("a", with_null)}), InvalidName);
  EXPECT_THROW(to_name(with_null), InvalidName);
}

TEST(NameText, LimitsNames) {
  const std::string longest(kMaxComponentBytes, 'x');
  EXPECT_EQ(to_name(longest)[0].id(), longest);
  EXPECT_THROW(to_name(longest + "x"), InvalidName);
  EXPECT_THROW(to_name(longest + ".k"), InvalidName);
  EXPECT_THROW(to_text({NameComponent("k", longest)}), InvalidName);
  EXPECT_THROW(to_text(CosNaming::Name(kMaxNameComponents + 1, NameComponent("a", ""))), InvalidName);
}

TEST(NameText, WritesUrls) {
  EXPECT_EQ(to_url(":host:2809", "a b/c"), "corbaname::host:2809#a%20b/c");
  EXPECT_EQ(to_url("iiop:1.2@host,:[::1]:1/Key", "\\.x"), "corbaname:iiop:1.2@host,:[::1]:1/Key#%5c.x");
  EXPECT_EQ(to_url("atm:00002112,:host", "\xe9"), "corbaname:atm:00002112,:host#%e9");
  EXPECT_EQ(to_url(":host", ""), "corbaname::host#");
  EXPECT_EQ(to_url("rir:/NameService", "a"), "corbaname:rir:/NameService#a");
  EXPECT_THROW(to_url(":host", "a//b"), InvalidName);
}

TEST(NameText, RejectsInvalidAddresses) {
  for (const char* bad : {"", ":", "host", "iiop:", ":host,", ":host,other", ":a#b", ":a b", "/Key"})
    EXPECT_THROW(to_url(bad, "a"), InvalidAddress) << bad;
}

}  // namespace
}  // namespace orbweaver::naming
