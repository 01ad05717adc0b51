#include <gtest/gtest.h>

#include "poa/testing/item_servant.h"

namespace poatest {

ItemServant::ItemServant(std::string name, CORBA::object_reference<ps::Current> current)
    : name_(std::move(name)), current_(std::move(current)) {}

ItemServant::~ItemServant() {
  if (on_end) on_end();
}

std::string ItemServant::describe() {
  return name_ + " " + current_->get_POA()->the_name() + "/" +
         ps::ObjectId_to_string(current_->get_object_id());
}

std::string ItemServant::describe_after(ItemRef other) { return other->describe() + ", " + describe(); }

std::int32_t ItemServant::wait_at_gate(std::int32_t n) {
  gate.pass(n);
  return n;
}

void ItemServant::fail() {
  throw CORBA::BAD_PARAM(7, CORBA::CompletionStatus::COMPLETED_YES, "raised by the servant");
}

void ItemServant::run() {
  if (on_run) on_run();
}

CORBA::object_reference<ps::Current> poa_current(TestOrb& broker) {
  return IDL::traits<ps::Current>::narrow(broker.orb->resolve_initial_references("POACurrent"));
}

ItemServantRef make_item(TestOrb& broker, const std::string& name) {
  return CORBA::make_reference<ItemServant>(name, poa_current(broker));
}

CORBA::PolicyList policies(const PoaRef& by, ps::ServantRetentionPolicyValue retention,
                           ps::RequestProcessingPolicyValue processing,
                           ps::IdUniquenessPolicyValue uniqueness) {
  return {by->create_id_assignment_policy(ps::IdAssignmentPolicyValue::USER_ID),
          by->create_servant_retention_policy(retention), by->create_request_processing_policy(processing),
          by->create_id_uniqueness_policy(uniqueness)};
}

ItemRef item(TestOrb& caller, TestOrb& server, const PoaRef& poa, const std::string& id) {
  const ObjectRef object =
      poa->create_reference_with_id(ps::string_to_ObjectId(id), PoaTest::Item::_interface_id());
  return IDL::traits<PoaTest::Item>::narrow(
      caller.orb->string_to_object(server.orb->object_to_string(object)));
}

PerThreadMode::PerThreadMode() {
  if (GetParam() == "single") running = std::thread([orb = server.orb] { orb->run(); });
}

PerThreadMode::~PerThreadMode() {
  if (!running.joinable()) return;
  server.orb->shutdown(false);
  running.join();
}

}  // namespace poatest
