#include "sca/runtime/resource_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using platform::testing::WaitingThread;
using ::testing::HasSubstr;
using Failure = CF::ResourceFactory::CreateResourceFailure;

class Plain : public Component {
 public:
  using Component::Component;

 private:
  Property<std::uint32_t> number_{*this, "number", 7};
};

/// A source whose produce() returns when `open` is true.
class Held : public Component {
 public:
  using Component::Component;
  static inline std::atomic<bool> entered{false}, open{false};

 private:
  bool produce() override {
    entered = true;
    open.wait(false);
    return false;
  }
};

Component* make_plain(Context& context) { return new Plain(context); }
Component* make_held(Context& context) { return new Held(context); }
Component* make_none(Context&) { throw std::runtime_error("out of order"); }

MakeComponent load(const std::string& path, const std::string& entry_point) {
  if (path == "/lost.so") throw std::runtime_error("there is no such file");
  if (entry_point == "make_held") return make_held;
  return entry_point == "make_none" ? make_none : make_plain;
}

/// A factory in this process and a reference to it.
class ResourceFactory : public ::testing::Test {
 protected:
  ResourceFactory() {
    static char program[] = "test";
    static char* argv[] = {program, nullptr};
    int argc = 1;
    host_ = std::make_unique<ComponentHost>(argc, argv);
    servant_ = CORBA::make_reference<ResourceFactoryServant>(
        *host_, "factory_1",
        std::make_unique<LibraryClasses>(std::vector<std::string>{"/plain.so", "/other.so", "/lost.so"},
                                         load));
    factory_ = IDL::traits<CF::ResourceFactory>::narrow(
        host_->poa()->id_to_reference(host_->poa()->activate_object(servant_)));
  }

  static CF::Properties qualifiers(std::initializer_list<std::pair<const char*, const char*>> values = {
                                       {"COMPONENT_LIBRARY", "/plain.so"}}) {
    CF::Properties all;
    for (const auto& [id, value] : values) all.emplace_back(id, any_of("string", value));
    return all;
  }
  /// The number and message of the failure of createResource().
  std::pair<CF::ErrorNumberType, std::string> failure(const std::string& id, const CF::Properties& given) {
    try {
      factory_->createResource(id, given);
    } catch (const Failure& e) {
      return {e.errorNumber(), e.msg()};
    }
    return {CF::ErrorNumberType::CF_NOTSET, "none"};
  }

  std::unique_ptr<ComponentHost> host_;
  CORBA::servant_reference<ResourceFactoryServant> servant_;
  IDL::traits<CF::ResourceFactory>::ref_type factory_;
};

TEST_F(ResourceFactory, CreatesAResourceWithItsExecParams) {
  const auto resource =
      factory_->createResource("a", qualifiers({{"COMPONENT_LIBRARY", "/plain.so"}, {"number", "12"}}));
  EXPECT_EQ(resource->identifier(), "a");
  CF::Properties queried;
  resource->query(queried);
  ASSERT_EQ(queried.size(), 1u);
  EXPECT_EQ(text_of(queried[0].value()), "12");
  EXPECT_EQ(factory_->identifier(), "factory_1");
}

TEST_F(ResourceFactory, CountsTheReferencesOfAResource) {
  const auto first = factory_->createResource("a", qualifiers());
  const auto second = factory_->createResource("a", qualifiers());
  EXPECT_TRUE(first->_is_equivalent(second));
  factory_->releaseResource("a");
  EXPECT_EQ(first->identifier(), "a") << "one reference is left";
  factory_->releaseResource("a");
  EXPECT_THROW(first->identifier(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(factory_->releaseResource("a"), CF::ResourceFactory::InvalidResourceId);
  const auto third = factory_->createResource("a", qualifiers());
  EXPECT_EQ(third->identifier(), "a") << "the id is free again";
  EXPECT_THROW(first->identifier(), CORBA::OBJECT_NOT_EXIST) << "an object of its own";
}

TEST_F(ResourceFactory, ForgetsAResourceThatIsReleasedItself) {
  const auto resource = factory_->createResource("a", qualifiers());
  factory_->createResource("a", qualifiers());
  resource->releaseObject();
  EXPECT_THROW(factory_->releaseResource("a"), CF::ResourceFactory::InvalidResourceId);
  factory_->shutdown();
}

TEST_F(ResourceFactory, KeepsAResourceUntilItIsReleased) {
  const auto held = qualifiers({{"COMPONENT_LIBRARY", "/plain.so"}, {"COMPONENT_ENTRY_POINT", "make_held"}});
  Held::entered = Held::open = false;
  const auto resource = factory_->createResource("a", held);
  resource->start();
  EXPECT_TRUE(becomes_true([] { return Held::entered.load(); }));
  {
    WaitingThread releasing([&] { EXPECT_NO_THROW(factory_->releaseResource("a")); });
    EXPECT_TRUE(releasing.waits());
    EXPECT_EQ(failure("a", held).first, CF::ErrorNumberType::CF_EBUSY);
    EXPECT_THROW(factory_->releaseResource("a"), CF::ResourceFactory::InvalidResourceId);
    EXPECT_THROW(factory_->shutdown(), CF::ResourceFactory::ShutdownFailure);
    WaitingThread stopping([&] { EXPECT_NO_THROW(resource->stop()); });
    EXPECT_TRUE(stopping.waits());
    WaitingThread also_releasing([&] { EXPECT_NO_THROW(resource->releaseObject()); });
    EXPECT_TRUE(also_releasing.waits());
    Held::open = true;
    Held::open.notify_all();
  }
  EXPECT_THROW(resource->identifier(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(factory_->createResource("a", held)->identifier(), "a");
}

TEST_F(ResourceFactory, RejectsInvalidQualifiers) {
  using enum CF::ErrorNumberType;
  EXPECT_EQ(failure("", qualifiers()).first, CF_EINVAL);
  EXPECT_THAT(failure("a", {}).second, HasSubstr("no qualifier COMPONENT_LIBRARY"));
  EXPECT_THAT(failure("a", {{"COMPONENT_LIBRARY", CORBA::Any()}}).second,
              HasSubstr("a type that no property has"));
  EXPECT_THAT(failure("a", qualifiers({{"COMPONENT_LIBRARY", "/plain.so"}, {"x", "1"}, {"x", "2"}})).second,
              HasSubstr("'x' is given twice"));
  EXPECT_EQ(failure("a", qualifiers({{"COMPONENT_LIBRARY", "/lost.so"}})).first, CF_ENOENT);
  EXPECT_THROW(factory_->releaseResource("a"), CF::ResourceFactory::InvalidResourceId) << "none is left over";
}

TEST_F(ResourceFactory, LoadsNoOtherLibrary) {
  const auto failed = failure("a", qualifiers({{"COMPONENT_LIBRARY", "/tmp/mine.so"}}));
  EXPECT_EQ(failed.first, CF::ErrorNumberType::CF_EACCES);
  EXPECT_THAT(failed.second, HasSubstr("'/tmp/mine.so' is not among the libraries of the factory"));
}

TEST_F(ResourceFactory, RejectsAnIdOfAnotherClass) {
  factory_->createResource("a", qualifiers());
  EXPECT_EQ(failure("a", qualifiers({{"COMPONENT_LIBRARY", "/other.so"}})).first,
            CF::ErrorNumberType::CF_EEXIST);
}

TEST_F(ResourceFactory, ReportsTheExceptionOfAConstructor) {
  const auto failed =
      failure("a", qualifiers({{"COMPONENT_LIBRARY", "/plain.so"}, {"COMPONENT_ENTRY_POINT", "make_none"}}));
  EXPECT_EQ(failed.second, "out of order");
  EXPECT_EQ(factory_->createResource("a", qualifiers())->identifier(), "a") << "the id is still free";
}

TEST_F(ResourceFactory, ShutsDownOnlyWithoutResources) {
  factory_->createResource("a", qualifiers());
  factory_->createResource("b", qualifiers());
  try {
    factory_->shutdown();
    ADD_FAILURE() << "it was shut down";
  } catch (const CF::ResourceFactory::ShutdownFailure& e) {
    EXPECT_EQ(e.msg(), "these resources have not been released: a, b");
  }
  factory_->releaseResource("a");
  factory_->releaseResource("b");
  std::thread serving([&] { host_->serve(); });
  factory_->shutdown();
  serving.join();
}

TEST_F(ResourceFactory, LimitsTheComponentsOfItsLife) {
  for (std::size_t i = 0; i < kMaxCreatedComponents; ++i) {
    factory_->createResource("a", qualifiers());
    factory_->releaseResource("a");
  }
  EXPECT_EQ(failure("a", qualifiers()).first, CF::ErrorNumberType::CF_ENOSPC);
}

}  // namespace
}  // namespace orbweaver::sca
