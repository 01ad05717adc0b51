#include "idlc/cpp/cpp.h"
namespace orbweaver::idl {
std::vector<OutputFile> generate_cpp(const ir::Unit&, Diagnostics&) { return {}; }
}
