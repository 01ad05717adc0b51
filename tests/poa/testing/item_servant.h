#pragma once

#include <orbweaver/poa.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "itemsS.h"
#include "testing/servant.h"
#include "testing/test_orb.h"

namespace poatest {

using ItemRef = IDL::traits<PoaTest::Item>::ref_type;
using orbtest::becomes_true;
using orbtest::ObjectRef;
using orbtest::Options;
using orbtest::PoaRef;
using orbtest::TestOrb;
namespace ps = PortableServer;

/// A value that a test and its upcalls share: a race detector does not see that a reply over a second mapping
/// orders an upcall before the return of the call. Thread-safe.
template <class T>
class Guarded {
 public:
  Guarded& operator=(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    return *this;
  }
  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

/// Servant of the tests of POAs. Thread-safe once its functions are set.
class ItemServant final : public virtual CORBA::servant_traits<PoaTest::Item>::base_type {
 public:
  /// `current`: POACurrent of an ORB.
  ItemServant(std::string name, CORBA::object_reference<ps::Current> current);
  ~ItemServant() override;

  orbtest::Gate gate;
  std::function<void()> on_run;  ///< Called by `run`.
  std::function<void()> on_end;  ///< Called by the destructor.
  std::atomic<int> notes{0};     ///< Calls of `note`.

  std::string describe() override;
  std::int32_t value() override { return value_; }
  void value(std::int32_t v) override { value_ = v; }
  std::int32_t twice(std::int32_t n) override { return 2 * n; }
  std::string describe_after(ItemRef other) override;
  std::int32_t wait_at_gate(std::int32_t n) override;
  void fail() override;
  void run() override;
  void note(std::int32_t) override { ++notes; }

 private:
  const std::string name_;
  const CORBA::object_reference<ps::Current> current_;
  std::atomic<std::int32_t> value_{0};
};
using ItemServantRef = CORBA::servant_reference<ItemServant>;

/// POACurrent of an ORB.
CORBA::object_reference<ps::Current> poa_current(TestOrb& broker);
/// An item servant for objects of `broker`.
ItemServantRef make_item(TestOrb& broker, const std::string& name = "servant");

inline ps::ObjectId object_id(const std::string& text) { return ps::string_to_ObjectId(text); }

/// The policies of POAs with objects of the program's choice: USER_ID with the given values.
CORBA::PolicyList policies(const PoaRef& by, ps::ServantRetentionPolicyValue retention,
                           ps::RequestProcessingPolicyValue processing,
                           ps::IdUniquenessPolicyValue uniqueness = ps::IdUniquenessPolicyValue::MULTIPLE_ID);
/// The object `id` of `poa`, as `caller` sees it, of interface Item, which is not asked.
ItemRef item(TestOrb& caller, TestOrb& server, const PoaRef& poa, const std::string& id);

/// Whether `call` raises an Expected with this minor code, and COMPLETED_NO.
template <class Expected, class Call>
bool raises(std::uint32_t minor, Call&& call) {
  try {
    call();
  } catch (const Expected& e) {
    return e.minor() == minor && e.completed() == CORBA::CompletionStatus::COMPLETED_NO;
  }
  return false;
}

/// A server with the thread policy of the parameter, and a client that calls it over shared memory.
struct PerThreadMode : ::testing::TestWithParam<std::string> {
  TestOrb server{Options{"-ORBThreads", GetParam()}};
  TestOrb client{Options{"-ORBTransportPreference", "shm"}};
  std::thread running;
  PerThreadMode();
  ~PerThreadMode() override;
};
#define POATEST_THREAD_MODES(FIXTURE)                                                          \
  INSTANTIATE_TEST_SUITE_P(Threads, FIXTURE,                                                   \
                           ::testing::Values("connection", "pool:2", "unordered:3", "single"), \
                           [](auto& i) { return i.param.substr(0, i.param.find(':')); })

}  // namespace poatest
