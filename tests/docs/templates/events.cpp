// part
namespace host {
// snippet
}  // namespace host

// part
namespace consumer {
// snippet
}  // namespace consumer

void supplier(const IDL::traits<CORBA::ORB>::ref_type& orb, char* argv[], const CORBA::Any& event) {
  // snippet
}

// part
void log(const IDL::traits<CORBA::ORB>::ref_type& orb,
         const IDL::traits<PortableServer::POA>::ref_type& poa) {
  // snippet
}

// part
void log_client(const IDL::traits<CORBA::ORB>::ref_type& orb, char* argv[]) {
  // snippet
}
