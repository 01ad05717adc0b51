// Calls _non_existent on the object of the given reference, over the transport that omniORB's options select.
#include <omniORB4/CORBA.h>

#include <iostream>

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4");
  if (argc < 2) return 2;
  try {
    CORBA::Object_var object = orb->string_to_object(argv[1]);
    return object->_non_existent() ? 1 : 0;
  } catch (const CORBA::SystemException& e) {
    std::cerr << e._name() << ' ' << e.NP_minorString() << '\n';
    return 1;
  }
}
