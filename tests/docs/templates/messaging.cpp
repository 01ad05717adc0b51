#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "snippetsS.h"

namespace orbweaver::streams {}
using namespace orbweaver::streams;  // as in the first snippet

// Used by the snippets, before and after their declarations.
struct Source {
  void pause();
  void resume();
};
template <class Value>
void process(const Value&);
using StageRef = IDL::traits<Radio::Stage>::ref_type;
std::vector<double> filtered(orbweaver::span<const double>);

// part
// snippet

void watermarks(Source& source) {
  // snippet
}

// part
#include "PacketFlowControlC.h"

void consumer(const std::string& connection_id, const IDL::traits<Packet::FlowSignals>::ref_type& signals) {
  // snippet
}

void producer(const IDL::traits<::Packet::FlowControl>::ref_type& consumer_control,
              const IDL::traits<::Packet::FlowOctetStream>::ref_type& consumer,
              const std::vector<std::uint8_t>& samples, std::uint16_t stream_id, std::uint8_t number) {
  const auto stop = [] {};
  // snippet
}

// part
// snippet

struct UpcallFilter : virtual CORBA::servant_traits<Radio::Stage>::base_type {
  void transfer(orbweaver::span<const double>) override;
  StageRef next_;
  std::uint32_t sent_ = 0;
  // snippet
};

struct Numbered {
  std::uint32_t number;
  orbweaver::HeldView<double> samples;
};

struct ReorderingFilter : virtual CORBA::servant_traits<Radio::Stage>::base_type {
  void transfer(orbweaver::span<const double>) override;
  StageRef next_;
  // snippet
};
