// The bytes that either end of a bidirectional connection receives, from the end that has accepted it or has
// opened it to the end of the input. Bit 0 of the first octet selects the end: 0: it has accepted the
// connection, and calls its peer in upcalls; 1: it has opened it, offers it, and awaits the replies to its
// calls. The other bits are the number of these calls. Requests are for an object with the key "node".
#include <netdb.h>
#include <orbweaver/any.h>
#include <orbweaver/bidirpolicy.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "fuzz/input.h"
#include "giop/request.h"
#include "nodesS.h"
#include "orb/bidirectional/accept_connection.h"
#include "orb/bidirectional/offered_connections.h"
#include "orb/core.h"
#include "orb/orb_impl.h"

using namespace orbweaver;
using namespace orbweaver::orb;

// References in the input may name any address: this program connects to none.
extern "C" int getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**) { return EAI_NONAME; }
extern "C" int connect(int, const sockaddr*, socklen_t) {
  errno = ECONNREFUSED;
  return -1;
}

namespace {

using NodeRef = IDL::traits<BidirTest::Node>::ref_type;

/// Calls the attached node, or returns.
class Node final : public virtual CORBA::servant_traits<BidirTest::Node>::base_type {
 public:
  void attach(NodeRef other) override {
    const std::lock_guard lock(mutex_);
    other_ = other;
  }
  void attach_any(const CORBA::Any& other) override {
    NodeRef node;
    if (other >>= node) attach(node);
  }
  NodeRef attached() override {
    const std::lock_guard lock(mutex_);
    return other_;
  }
  std::int32_t twice(std::int32_t n) override { return n; }
  BidirTest::Octets echo(const BidirTest::Octets& data) override { return data; }
  void note(std::int32_t) override {}
  BidirTest::Numbers notes() override { return {}; }
  std::int32_t wait_at_gate(std::int32_t n) override { return n; }
  std::int32_t twice_there(std::int32_t n) override { return there()->twice(n); }
  BidirTest::Octets echo_there(const BidirTest::Octets& data) override { return there()->echo(data); }
  void note_there(std::int32_t n) override { there()->note(n); }
  std::int32_t wait_there(std::int32_t n) override { return there()->wait_at_gate(n); }
  std::int32_t descend(NodeRef caller, std::int32_t n) override { return caller ? caller->twice(n) : n; }

 private:
  NodeRef there() {
    NodeRef other = attached();
    if (!other) throw CORBA::BAD_INV_ORDER();
    return other;
  }
  std::mutex mutex_;
  NodeRef other_;
};

/// A channel that receives the frames of the input, and then its end. What is sent is dropped.
class InputChannel final : public transport::Channel {
 public:
  explicit InputChannel(Bytes input) : input_(input) {}
  Result<MutableBytes> claim(std::size_t bytes, Deadline) noexcept override {
    if (closed_) return ended();
    room_.resize(bytes + 8);
    return MutableBytes(room_).first(bytes);
  }
  Result<void> commit(std::size_t, Deadline) noexcept override {
    if (closed_) return ended();
    return {};
  }
  void abandon() noexcept override {}
  Result<Bytes> receive(Deadline) noexcept override {
    if (closed_ || input_.size() < transport::kFrameHeaderBytes) return ended();
    const auto bytes = giop::frame_length(input_);
    if (!bytes || *bytes > input_.size()) return ended();
    frame_.assign(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(*bytes));
    return Bytes(frame_);
  }
  void release() noexcept override { input_ = input_.subspan(std::exchange(frame_, {}).size()); }
  void close() noexcept override { closed_ = true; }
  const Peer& peer() const noexcept override { return peer_; }

 private:
  static Error ended() { return {ErrorKind::disconnected, "end of the input"}; }
  Bytes input_;
  std::vector<std::uint8_t> frame_, room_;
  std::atomic<bool> closed_{false};
  const Peer peer_{"127.0.0.1:9"};
};

struct Process {
  Process() {
    const char* words[] = {"fuzz",     "-ORBListen", "inproc", "-ORBAcceptBidirectional",
                           "received", "-ORBLog",    "off",    "-ORBCallTimeout",
                           "0",        nullptr};
    int argc = std::size(words) - 1;
    orb = CORBA::ORB_init(argc, const_cast<char**>(words), "fuzz");
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    CORBA::Any both;
    both <<= BiDirPolicy::BOTH;
    const auto poa = root->create_POA(
        "nodes", root->the_POAManager(),
        {orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both),
         root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
         root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
    poa->activate_object_with_id(PortableServer::string_to_ObjectId("node"), CORBA::make_reference<Node>());
    root->the_POAManager()->activate();
    object = poa->id_to_reference(PortableServer::string_to_ObjectId("node"));
  }
  Core& core() { return *dynamic_cast<OrbImpl&>(*orb).core(); }
  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<CORBA::Object>::ref_type object;
  transport::Transport& tcp = *find_transport("tcp");
};

/// The connection is served by this thread, and by others as its requests need.
void accept(Process& process, Bytes input) {
  ServedConnections served(process.core().options());
  auto channel = std::make_unique<InputChannel>(input);
  auto admission = process.core().endpoints().incoming().admit(process.tcp, channel->peer());
  if (admission == nullptr) std::abort();
  const auto connection =
      accept_connection(process.core(), std::move(channel), process.tcp, std::move(admission), served);
  connection->serve();
  connection->close();
}

/// Makes calls over the connection, whose requests are served by other threads.
void offer(Process& process, Bytes input, int calls) {
  Core& core = process.core();
  std::weak_ptr<SplitChannel> ended;
  {
    const auto split = SplitChannel::make(std::make_unique<InputChannel>(input),
                                          SplitChannel::Side::initiator, core.options().max_message_bytes);
    ended = split;
    const auto connection =
        core.connections().make_connection(split->make_end(SplitChannel::Role::caller), "peer");
    connection->sender().offer(core.offered().listen_points(), false);
    if (!core.offered().serve(split, connection, process.tcp)) std::abort();
    for (bool usable = true; usable && calls > 0; --calls) {
      constexpr std::size_t kBytes = 64;
      auto room = connection->sender().claim(kBytes, Deadline::never());
      if (!room) break;
      const std::uint32_t id = connection->sender().next_request_id();
      std::fill(room->begin(), room->end(), std::uint8_t{0});
      if (!connection->sender().commit(kBytes, true, Deadline::never())) break;
      HeldReply reply(connection->reader());
      usable = static_cast<bool>(connection->reader().await(id, Deadline::never(), *reply));
    }
    connection->close();
  }
  while (!ended.expired()) std::this_thread::yield();  // its threads have ended
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Process& process = *new Process;  // the threads of its ORB use it until the program ends
  fuzz::Input input(data, size);
  const auto mode = input.take<std::uint8_t>();
  const Bytes received = input.take_bytes(size);
  if (mode % 2 == 0)
    accept(process, received);
  else
    offer(process, received, mode / 2);
  return 0;
}
