// Commands for naming services that are broken.
#include "naming/naming_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <string>

#include "CosNamingS.h"

namespace orbweaver::naming {
namespace {

/// Lists bindings without end, or empty lists without end.
class Iterator final : public virtual CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  bool next_one(CosNaming::Binding&) override { return true; }
  bool next_n(std::uint32_t count, CosNaming::BindingList& bindings) override {
    ++calls;
    if (!is_empty)
      bindings.assign(count, CosNaming::Binding(CosNaming::Name{CosNaming::NameComponent("x", "")},
                                                CosNaming::BindingType::nobject));
    return true;
  }
  void destroy() override { ++destroyed; }

  std::atomic<bool> is_empty{false};
  std::atomic<int> calls{0}, destroyed{0};
};

class Root final : public virtual CORBA::servant_traits<CosNaming::NamingContext>::base_type {
 public:
  using Name = CosNaming::Name;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
  void bind(const Name&, ObjectRef) override {}
  void rebind(const Name&, ObjectRef) override {}
  void bind_context(const Name&, ContextRef) override {}
  void rebind_context(const Name&, ContextRef) override {}
  ObjectRef resolve(const Name&) override { return nullptr; }
  void unbind(const Name&) override {}
  ContextRef new_context() override { return nullptr; }
  ContextRef bind_new_context(const Name&) override { return nullptr; }
  void destroy() override {}
  void list(std::uint32_t, CosNaming::BindingList&,
            IDL::traits<CosNaming::BindingIterator>::ref_type& rest) override {
    rest = iterator;
  }

  IDL::traits<CosNaming::BindingIterator>::ref_type iterator;
};

struct BrokenService : ::testing::Test {
  BrokenService() {
    int argc = 1;
    char program[] = "test";
    char* argv[] = {program, nullptr};
    orb = CORBA::ORB_init(argc, argv, "broken naming service");
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    root->iterator =
        IDL::traits<CosNaming::BindingIterator>::narrow(poa->id_to_reference(poa->activate_object(iterator)));
    options.service = orb->object_to_string(poa->id_to_reference(poa->activate_object(root)));
  }
  ~BrokenService() override { orb->destroy(); }

  const CORBA::servant_reference<Iterator> iterator = CORBA::make_reference<Iterator>();
  const CORBA::servant_reference<Root> root = CORBA::make_reference<Root>();
  IDL::traits<CORBA::ORB>::ref_type orb;
  CommandOptions options;
};

TEST_F(BrokenService, IsListedUpToALimit) {
  const auto listed = list_bindings(options);
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().message, ::testing::HasSubstr("more than 100000 bindings"));
  EXPECT_LE(iterator->calls, 1001);
  EXPECT_EQ(iterator->destroyed, 1);
}

TEST_F(BrokenService, IsNotAskedAgainAfterAnEmptyList) {
  iterator->is_empty = true;
  const auto listed = list_bindings(options);
  ASSERT_TRUE(listed);
  EXPECT_EQ(*listed, "");
  EXPECT_EQ(iterator->calls, 1);
}

}  // namespace
}  // namespace orbweaver::naming
