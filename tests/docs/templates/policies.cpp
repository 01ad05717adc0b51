#include "snippetsC.h"

void limit_time(const IDL::traits<CORBA::ORB>::ref_type& orb,
                const IDL::traits<Radio::Tuner>::ref_type& tuner) {
  // snippet
}
