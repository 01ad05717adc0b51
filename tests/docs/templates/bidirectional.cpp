#include "snippetsC.h"
#include "snippetsS.h"

void offer(const IDL::traits<CORBA::ORB>::ref_type& orb,
           const IDL::traits<PortableServer::POA>::ref_type& root,
           const CORBA::servant_reference<CORBA::servant_traits<Radio::Listener>::base_type>& listener,
           const IDL::traits<Radio::Tuner>::ref_type& tuner) {
  // snippet
}
