// Tests of references to an interface that one IDL file forward-declares and another defines. Code with and
// without its definition sends, stores, prints and compares them.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "definedS.h"
#include "user_only.h"

namespace {

using FarRef = IDL::traits<Forward::Far>::ref_type;
using UserRef = IDL::traits<Forward::User>::ref_type;

class FarServant final : public virtual CORBA::servant_traits<Forward::Far>::base_type {
 public:
  explicit FarServant(std::string name) : name_(std::move(name)) {}
  std::string name() override { return name_; }
  void meet(IDL::traits<Forward::User>::ref_type other) override { other->kept(_this()); }

 private:
  std::string name_;
};

class UserServant final : public virtual CORBA::servant_traits<Forward::User>::base_type {
 public:
  FarRef kept() override { return kept_; }
  void kept(FarRef value) override { kept_ = value; }
  FarRef same(FarRef x) override { return x; }
  void turn(FarRef& x, FarRef& y) override {
    y = x;
    x = nullptr;
  }
  Forward::Fars reversed(const Forward::Fars& all) override { return {all.rbegin(), all.rend()}; }
  Forward::Holder hold(const Forward::Holder& x) override { return x; }
  Forward::Either choose(const Forward::Either& x) override { return x; }
  void take(FarRef x) override { throw Forward::Taken(x); }
  CORBA::Any boxed(FarRef x) override {
    CORBA::Any any;
    any <<= x;
    return any;
  }

 private:
  FarRef kept_;
};

class Near final : public virtual Forward::Near {
 public:
  std::string name() override { return "near"; }
};

struct Orb {
  explicit Orb(const char* id) : orb(CORBA::ORB_init(argc, argv, id)) {
    root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  ~Orb() { orb->destroy(); }
  int argc = 1;
  char name[2] = "t";
  char* argv[2] = {name, nullptr};
  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type root;
};

class ForwardDeclaredInterface : public ::testing::Test {
 protected:
  template <class Servant, class... Arguments>
  std::string serve(Arguments&&... arguments) {
    const auto servant = CORBA::make_reference<Servant>(std::forward<Arguments>(arguments)...);
    return server_.orb->object_to_string(
        server_.root->id_to_reference(server_.root->activate_object(servant)));
  }
  template <class Interface>
  typename IDL::traits<Interface>::ref_type at(const std::string& text) {
    return IDL::traits<Interface>::narrow(client_.orb->string_to_object(text));
  }

  Orb server_{"server"}, client_{"client"};
  UserRef user_ = at<Forward::User>(serve<UserServant>());
  FarRef far_ = at<Forward::Far>(serve<FarServant>("one"));
};

TEST_F(ForwardDeclaredInterface, IsPassedAsReference) {
  const FarRef back = user_->same(far_);
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->name(), "one");
  EXPECT_EQ(user_->same(nullptr), nullptr);
}

TEST_F(ForwardDeclaredInterface, IsPassedInEveryDirection) {
  FarRef x = far_, y;
  user_->turn(x, y);
  EXPECT_EQ(x, nullptr);
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(y->name(), "one");
  user_->kept(far_);
  EXPECT_EQ(user_->kept()->name(), "one");
  user_->kept(nullptr);
  EXPECT_EQ(user_->kept(), nullptr);
}

TEST_F(ForwardDeclaredInterface, IsPassedInContainers) {
  const Forward::Fars back = user_->reversed({nullptr, far_});
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0]->name(), "one");
  EXPECT_EQ(back[1], nullptr);
  EXPECT_EQ(user_->hold(Forward::Holder("h", far_)).one()->name(), "one");
  EXPECT_EQ(user_->hold(Forward::Holder("h", nullptr)).one(), nullptr);
  Forward::Either either;
  either.one(far_);
  EXPECT_EQ(user_->choose(either).one()->name(), "one");
  try {
    user_->take(far_);
    FAIL();
  } catch (const Forward::Taken& e) {
    EXPECT_EQ(e.by()->name(), "one");
  }
}

TEST_F(ForwardDeclaredInterface, HasItsTypeCodeFromTheDefiningFile) {
  const CORBA::Any any = user_->boxed(far_);
  EXPECT_TRUE(any.type()->equal(Forward::_tc_Far));
  FarRef out;
  ASSERT_TRUE(any >>= out);
  EXPECT_EQ(out->name(), "one");
  std::ostringstream text;
  text << Forward::Holder("h", far_) << Forward::Holder("n", nullptr);
  EXPECT_NE(text.str().find("IDL:Forward/Far:1.0"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("nil"), std::string::npos) << text.str();
}

TEST_F(ForwardDeclaredInterface, IsReferenceCountedWithoutADefinition) {
  EXPECT_TRUE(user_only::is_nil(nullptr));
  EXPECT_FALSE(user_only::is_nil(far_));
  EXPECT_EQ(user_only::nil_from(user_), nullptr);
  EXPECT_EQ(user_only::passed_on(user_, far_)->name(), "one");
  IDL::traits<Forward::Far>::weak_ref_type weak(far_);
  {
    const Forward::Holder holder = user_only::held(far_);
    far_ = nullptr;
    EXPECT_EQ(holder.one()->name(), "one");
  }
  EXPECT_EQ(weak.lock(), nullptr);
}

TEST_F(ForwardDeclaredInterface, LinksWithItsDefinition) {
  far_->meet(user_);
  EXPECT_EQ(user_->kept()->name(), "one");
}

TEST(ForwardDeclaredLocalInterface, IsReferenceCounted) {
  IDL::traits<Forward::Near>::ref_type near = CORBA::make_reference<Near>();
  const IDL::traits<Forward::Near>::ref_type other = near;
  near = nullptr;
  EXPECT_EQ(other->name(), "near");
}

}  // namespace
