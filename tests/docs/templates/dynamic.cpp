// Places for the snippets of docs/dynamic.md.
#include <orbweaver/dynamic.h>
#include <orbweaver/dynamic_any.h>
#include <orbweaver/dynamic_servant.h>
#include <orbweaver/orb.h>

#include <iostream>

void divide(const IDL::traits<CORBA::Object>::ref_type& object, const CORBA::typecode_reference& refused) {
  // snippet
}

void together(const IDL::traits<CORBA::Request>::ref_type& first,
              const IDL::traits<CORBA::Request>::ref_type& second) {
  // snippet
}

// snippet

void values(const IDL::traits<CORBA::ORB>::ref_type& orb, const CORBA::Any& received,
            const CORBA::typecode_reference& type) {
  // snippet
  // snippet
}
