#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/naming/name_text.h"
#include "services/naming/naming_context.h"

namespace orbweaver::naming {
namespace {

using Context = CosNaming::NamingContext;
using Reason = Context::NotFoundReason;
using ::testing::ElementsAre;

CosNaming::Name name(const std::string& text) { return to_name(text); }

/// A naming service, called through references.
class Naming : public ::testing::Test {
 protected:
  void SetUp() override {
    orb = CORBA::ORB_init();
    poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    root = make_naming_service(poa);
  }

  /// Creates an object to bind: a context.
  ObjectRef object() { return root->new_context(); }
  Reason reason_not_found(const std::string& text) {
    try {
      root->resolve(name(text));
    } catch (const Context::NotFound& e) {
      rest = to_text(e.rest_of_name());
      return e.why();
    }
    ADD_FAILURE() << text << " was found";
    return {};
  }
  std::vector<std::string> listed(const CosNaming::BindingList& list) {
    std::vector<std::string> texts;
    for (const auto& b : list) texts.push_back(to_text(b.binding_name()));
    return texts;
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  PoaRef poa;
  IDL::traits<CosNaming::NamingContextExt>::ref_type root;
  std::string rest;
};

TEST_F(Naming, ResolvesUntilUnbound) {
  const auto bound = object();
  root->bind(name("radio.modem"), bound);
  EXPECT_TRUE(root->resolve(name("radio.modem"))->_is_equivalent(bound));
  root->unbind(name("radio.modem"));
  EXPECT_EQ(reason_not_found("radio.modem"), Reason::missing_node);
}

TEST_F(Naming, NamesAnObjectUrlsNameThatIsNotBound) {
  orb->register_initial_reference("NameService", root);
  try {
    orb->string_to_object("corbaname:rir:#radio.modem");
    ADD_FAILURE() << "resolved";
  } catch (const CORBA::BAD_PARAM& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("'radio.modem': name not found by the naming service"));
  }
}

TEST_F(Naming, ComparesKinds) {
  root->bind(name("radio.modem"), object());
  EXPECT_EQ(reason_not_found("radio"), Reason::missing_node);
}

TEST_F(Naming, ReplacesByRebindOnly) {
  const auto first = object(), second = object();
  root->bind(name("a"), first);
  EXPECT_THROW(root->bind(name("a"), second), Context::AlreadyBound);
  root->rebind(name("a"), second);
  EXPECT_TRUE(root->resolve(name("a"))->_is_equivalent(second));
}

TEST_F(Naming, DoesNotRebindAcrossBindingTypes) {
  root->bind(name("object"), object());
  root->bind_new_context(name("context"));
  EXPECT_THROW(root->rebind_context(name("object"), root->new_context()), Context::NotFound);
  EXPECT_THROW(root->rebind(name("context"), object()), Context::NotFound);
}

TEST_F(Naming, ResolvesAPathAcrossContexts) {
  root->bind_new_context(name("a"));
  root->bind_new_context(name("a/b"));
  const auto bound = object();
  root->bind(name("a/b/c"), bound);
  EXPECT_TRUE(root->resolve_str("a/b/c")->_is_equivalent(bound));
  EXPECT_EQ(reason_not_found("a/x/c"), Reason::missing_node);
  EXPECT_EQ(rest, "x/c");
  EXPECT_EQ(reason_not_found("a/b/c/d"), Reason::not_context);
  EXPECT_EQ(rest, "c/d");
}

TEST_F(Naming, LimitsTheLengthOfAPath) {
  auto a = root->bind_new_context(name("a"));
  a->bind_context(name("a"), a);
  a->bind(name("leaf"), object());
  CosNaming::Name path(kMaxNameComponents - 1, CosNaming::NameComponent("a", ""));
  path.emplace_back("leaf", "");
  EXPECT_NO_THROW(root->resolve(path));
  path.emplace(path.begin(), "a", "");
  EXPECT_THROW(root->resolve(path), Context::InvalidName);
}

TEST_F(Naming, RejectsAnEmptyName) {
  EXPECT_THROW(root->resolve({}), Context::InvalidName);
  EXPECT_THROW(root->bind({}, nullptr), Context::InvalidName);
}

TEST_F(Naming, RejectsNilContexts) {
  EXPECT_THROW(root->bind_context(name("a"), nullptr), CORBA::BAD_PARAM);
  EXPECT_THROW(root->rebind_context(name("a"), nullptr), CORBA::BAD_PARAM);
}

TEST_F(Naming, ReturnsNilObjectsAsBound) {
  root->bind(name("nil"), nullptr);
  EXPECT_FALSE(root->resolve(name("nil")));
}

TEST_F(Naming, DestroysEmptyContextsOnly) {
  auto a = root->bind_new_context(name("a"));
  a->bind(name("b"), object());
  EXPECT_THROW(a->destroy(), Context::NotEmpty);
  a->unbind(name("b"));
  a->destroy();
  EXPECT_THROW(a->resolve(name("b")), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Naming, ListsInPieces) {
  for (const char* n : {"a", "b", "c", "d"}) root->bind(name(n), object());
  CosNaming::BindingList list;
  IDL::traits<CosNaming::BindingIterator>::ref_type more;
  root->list(10, list, more);
  EXPECT_THAT(listed(list), ElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(more == nullptr);

  root->list(1, list, more);
  EXPECT_THAT(listed(list), ElementsAre("a"));
  CosNaming::Binding one;
  ASSERT_TRUE(more->next_one(one));
  EXPECT_EQ(to_text(one.binding_name()), "b");
  ASSERT_TRUE(more->next_n(10, list));
  EXPECT_THAT(listed(list), ElementsAre("c", "d"));
  EXPECT_FALSE(more->next_one(one));
  more->destroy();
  EXPECT_THROW(more->next_one(one), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(Naming, ConvertsBetweenTextAndName) {
  EXPECT_EQ(root->to_string(root->to_name("a.b/c")), "a.b/c");
  EXPECT_EQ(root->to_name("a\\.b/\\/c")[0].id(), "a.b");
  EXPECT_EQ(root->to_string(root->to_name("a\\.b/\\/c\\\\.k")), "a\\.b/\\/c\\\\.k");
  EXPECT_EQ(root->to_name(".")[0].id(), "");
  EXPECT_EQ(root->to_name(".k")[0].kind(), "k");
  for (const char* bad : {"", "/", "a/", "/a", "a//b", "a.b.c", "a\\", "a\\x", "a."}) {
    EXPECT_THROW(root->to_name(bad), Context::InvalidName) << bad;
  }
}

}  // namespace
}  // namespace orbweaver::naming
