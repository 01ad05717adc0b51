// Place for the snippet of docs/call.md.
#include <orbweaver/dynamic.h>
#include <orbweaver/orb.h>

void divide(const IDL::traits<CORBA::Object>::ref_type& object, const CORBA::typecode_reference& refused) {
  // snippet
}
