// interop-omniorb-node [REFERENCE]: an omniORB program with a node of nodes.idl, in a POA whose
// BidirectionalPolicy is BOTH. Prints a line for each event.
//   without REFERENCE   accepts offered connections; prints the reference of its node, and serves
//   with REFERENCE      offers its connections; attaches its node to the other one, prints the results of
//                       calls that call back, and serves until it is killed
#include <cstdio>
#include <string>

#include "nodes.hh"

namespace {

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

class Node final : public virtual POA_BidirTest::Node, public virtual PortableServer::RefCountServantBase {
 public:
  void attach(BidirTest::Node_ptr other) override { other_ = BidirTest::Node::_duplicate(other); }
  void attach_any(const CORBA::Any& other) override {
    BidirTest::Node_ptr node = BidirTest::Node::_nil();
    if (other >>= node) attach(node);
  }
  BidirTest::Node_ptr attached() override { return BidirTest::Node::_duplicate(other_); }
  CORBA::Long twice(CORBA::Long n) override { return 2 * n; }
  BidirTest::Octets* echo(const BidirTest::Octets& data) override { return new BidirTest::Octets(data); }
  void note(CORBA::Long) override {}
  BidirTest::Numbers* notes() override { return new BidirTest::Numbers; }
  CORBA::Long wait_at_gate(CORBA::Long n) override { return n; }
  CORBA::Long twice_there(CORBA::Long n) override { return other_->twice(n); }
  BidirTest::Octets* echo_there(const BidirTest::Octets& data) override { return other_->echo(data); }
  void note_there(CORBA::Long n) override { other_->note(n); }
  CORBA::Long wait_there(CORBA::Long n) override { return other_->wait_at_gate(n); }
  CORBA::Long descend(BidirTest::Node_ptr caller, CORBA::Long n) override {
    if (n == 0) return 0;
    const BidirTest::Node_var self = BidirTest::Node::_narrow(self_);
    return caller->descend(self, n - 1) + 1;
  }

  CORBA::Object_var self_;

 private:
  BidirTest::Node_var other_;
};

void call(BidirTest::Node_ptr server, BidirTest::Node_ptr own) {
  server->attach(own);
  print("twice_there " + std::to_string(server->twice_there(21)));
  BidirTest::Octets data;
  data.length(3'000'000);
  for (CORBA::ULong i = 0; i < data.length(); ++i) data[i] = static_cast<CORBA::Octet>(i * 7);
  BidirTest::Octets_var back = server->echo_there(data);
  bool equal = back->length() == data.length();
  for (CORBA::ULong i = 0; equal && i < data.length(); ++i) equal = back[i] == data[i];
  print(std::string("echo_there ") + (equal ? "equal" : "different"));
  print("descend " + std::to_string(server->descend(own, 6)));
}

}  // namespace

int main(int argc, char** argv) try {
  const char* options[][2] = {{"offerBiDirectionalGIOP", "1"},
                              {"acceptBiDirectionalGIOP", "1"},
                              {"clientTransportRule", "* bidir,tcp"},
                              {"serverTransportRule", "* bidir,tcp"},
                              {"endPoint", "giop:tcp:127.0.0.1:"},
                              {"giopMaxMsgSize", "67108864"},
                              {nullptr, nullptr}};
  const std::string reference = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", options);
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var root = PortableServer::POA::_narrow(object);
  CORBA::Any both;
  both <<= BiDirPolicy::BOTH;
  CORBA::PolicyList policies;
  policies.length(1);
  policies[0] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);
  PortableServer::POAManager_var manager = root->the_POAManager();
  PortableServer::POA_var poa = root->create_POA("nodes", manager, policies);
  Node* const node = new Node;
  PortableServer::ObjectId_var id = poa->activate_object(node);
  node->self_ = poa->id_to_reference(id);
  manager->activate();
  if (reference.empty()) {
    const CORBA::String_var text = orb->object_to_string(node->self_);
    print(text.in());
  } else {
    object = orb->string_to_object(reference.c_str());
    const BidirTest::Node_var server = BidirTest::Node::_narrow(object);
    const BidirTest::Node_var own = BidirTest::Node::_narrow(node->self_);
    call(server, own);
    print("done");
  }
  orb->run();
  return 0;
} catch (const CORBA::SystemException& e) {
  print(std::string("raised ") + e._name() + " " + std::to_string(e.minor()));
  return 1;
}
