#pragma once

#include <string>

#include "idlc/ir/ir.h"

/// Text generators for asynchronous calls (--ami): as those of constructs.h.
namespace orbweaver::idl::cpp {

/// Whether an interface has asynchronous functions: it is not local, abstract or built in.
bool has_ami(const ir::Interface& decl);
std::string ami_forward_declaration(const ir::Interface& decl);  // fooC.h
/// The asynchronous functions of the stub, within its class.
std::string ami_stub_functions(const ir::Interface& decl);
/// The reply handler and the poller, after the class of the stub.
std::string ami_classes(const ir::Interface& decl);
std::string ami_traits(const ir::Interface& decl);  // fooC.h, in namespace CORBA
std::string ami_bodies(const ir::Interface& decl);  // fooC.cpp
// Reply handlers as CORBA objects.
std::string ami_operations_declared(const ir::Interface& decl);  // fooS.h, with the operations
std::string ami_operations_defined(const ir::Interface& decl);   // fooC.cpp, the same and the remote handler
std::string ami_traits_bodies(const ir::Interface& decl);        // fooC.cpp, in namespace CORBA

}  // namespace orbweaver::idl::cpp
