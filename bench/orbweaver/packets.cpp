#include "packets.h"

#include <orbweaver/loan.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/harness/clock.h"
#include "bench/harness/receivers.h"
#include "packetsS.h"
#include "setup.h"

namespace orbweaver::bench {
namespace {

using ReceiverRef = IDL::traits<::Packets::Receiver>::ref_type;

OrbRef orb_for(const Case& c) {
  std::vector<std::string> options = wait_options(name(c.wait));
  if (c.bytes > (std::size_t{8} << 20))
    options.insert(options.end(), {"-ORBMaxMessageBytes", std::to_string(4 * kMaxPayloadBytes)});
  return orb_over(c.transport, std::move(options));
}

std::size_t element_count(const Case& c) { return c.bytes / sizeof(double); }

ReceiverRef receiver_at(const OrbRef& orb, const std::string& address) {
  const auto receiver = IDL::traits<::Packets::Receiver>::narrow(orb->string_to_object(address));
  if (!receiver) throw std::runtime_error("the reference is not of type Packets::Receiver");
  (void)receiver->_non_existent();  // opens the connection: connecting is not measured
  return receiver;
}

class Servant final : public virtual CORBA::servant_traits<::Packets::Receiver>::base_type {
 public:
  /// `next`: nil if it does not forward.
  Servant(const Case& c, ReceptionBoard& board, ReceiverRef next)
      : board_(board), next_(std::move(next)), count_(element_count(c)) {}

  void push(std::uint32_t number, span<const double> data) override {
    if (next_) {
      note_copy(data);  // before the packet can arrive at its last receiver
      return next_->push(number, data);
    }
    const std::int64_t arrived_ns = steady_ns();
    note_copy(data);
    board_.note_arrival(arrived_ns, packet_is(number, data.data(), data.size(), count_));
  }

 private:
  /// A packet that is not in a block of its producer was copied.
  void note_copy(span<const double> data) {
    if (!data.empty() && hold(data.first(1)).is_copy()) board_.note_copy(data.size_bytes());
  }

  ReceptionBoard& board_;
  const ReceiverRef next_;
  const std::size_t count_;
};

void serve(const Receiver& self, const Case& c) {
  const OrbRef orb = orb_for(c);
  const ReceiverRef next = self.next.empty() ? nullptr : receiver_at(orb, self.next);
  const auto servant = CORBA::make_reference<Servant>(c, self.board, next);
  active_root_poa(orb);
  self.ready(orb->object_to_string(servant->_this()));
  orb->run();
}

/// Writes and sends one packet. Returns the time at which its measurement begins: after the write in a chain.
class Producer {
 public:
  Producer(const Case& c, std::vector<ReceiverRef> receivers)
      : what_(c), receivers_(std::move(receivers)), samples_(element_count(c)) {}

  std::int64_t send(std::uint32_t number) {
    const std::int64_t began_ns = steady_ns();
    if (what_.type == PayloadType::block) {
      auto block = loan<double>(samples_.size());
      fill_packet(block.data(), block.size(), number);
      return send(number, block.view(), began_ns);
    }
    mark_packet(samples_.data(), samples_.size(), number);
    return send(number, samples_, began_ns);
  }

 private:
  std::int64_t send(std::uint32_t number, span<const double> samples, std::int64_t began_ns) {
    if (is_chain(what_)) began_ns = steady_ns();
    for (const ReceiverRef& receiver : receivers_) receiver->push(number, samples);
    return began_ns;
  }

  const Case what_;
  const std::vector<ReceiverRef> receivers_;
  std::vector<double> samples_;
};

}  // namespace

std::optional<std::string> cannot_packets(const Case& c) { return cannot_spin(c); }

Summary call_packets(const ClientSide& side) {
  // Forks before this process has an ORB and its threads.
  Receivers receivers(side.what, [&](const Receiver& self) { serve(self, side.what); });
  const OrbRef orb = orb_for(side.what);
  std::vector<ReceiverRef> references;
  for (const std::string& address : receivers.destinations()) references.push_back(receiver_at(orb, address));
  Producer producer(side.what, std::move(references));
  Summary figures = receivers.measure(side.loop, [&](std::uint32_t number) { return producer.send(number); });
  orb->destroy();
  return figures;
}

}  // namespace orbweaver::bench
