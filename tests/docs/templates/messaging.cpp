#include "snippetsS.h"

#include <cstddef>
#include <utility>
#include <vector>

// Used by the snippets, before and after their declarations.
struct Source {
  void pause();
  void resume();
};
void reject();
template <class Packet>
void process(const Packet&);
using StageRef = IDL::traits<Radio::Stage>::ref_type;
std::vector<double> filtered(orbweaver::span<const double>);

// snippet

void watermarks(Source& source) {
  // snippet
}

// snippet

struct OrderedFilter : virtual CORBA::servant_traits<Radio::Stage>::base_type {
  void transfer(orbweaver::span<const double>) override;
  StageRef next_;
  std::uint32_t sent_ = 0;
  // snippet
};

struct Stamped {
  std::uint32_t number;
  orbweaver::HeldView<double> samples;
};

struct StampedFilter : virtual CORBA::servant_traits<Radio::Stage>::base_type {
  void transfer(orbweaver::span<const double>) override;
  StageRef next_;
  // snippet
};
