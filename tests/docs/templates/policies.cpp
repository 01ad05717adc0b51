#include "snippetsC.h"

// part
void limit_time(const IDL::traits<CORBA::ORB>::ref_type& orb,
                const IDL::traits<Radio::Tuner>::ref_type& tuner) {
  // snippet
}

// part
void limit_time_of_several_calls(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  // snippet
}

// part
void queue_one_way_calls(const IDL::traits<CORBA::ORB>::ref_type& orb,
                         const IDL::traits<Radio::Stage>::ref_type& stage, std::uint32_t number,
                         const std::vector<double>& samples) {
  // snippet
  static_cast<void>(rejected);
}

// part
void stay_with_the_server(const IDL::traits<CORBA::ORB>::ref_type& orb,
                          const IDL::traits<Radio::Tuner>::ref_type& tuner) {
  // snippet
}
