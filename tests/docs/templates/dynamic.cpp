// part
void divide(const IDL::traits<CORBA::Object>::ref_type& object, const CORBA::typecode_reference& refused) {
  // snippet
}

void together(const IDL::traits<CORBA::Request>::ref_type& first,
              const IDL::traits<CORBA::Request>::ref_type& second) {
  // snippet
}

// part
// snippet

// part
void values(const IDL::traits<CORBA::ORB>::ref_type& orb, const CORBA::Any& received,
            const CORBA::typecode_reference& type, const CORBA::typecode_reference& node_type) {
  // snippet
  // snippet
  // snippet
}
