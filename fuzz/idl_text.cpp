// Compiles the input as IDL: all stages, the C++ back end, the JSON dump and both formats of diagnostics.
#include <cstddef>
#include <cstdint>
#include <string>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/driver/compile.h"
#include "idlc/dump/json_dump.h"
#include "idlc/source/render.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orbweaver::idl;
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("fuzz.idl", std::string(reinterpret_cast<const char*>(data), size));
  const CompileResult compiled = compile(sources, file, {}, diagnostics);
  if (compiled.unit) {
    dump_json(*compiled.unit, sources);
    generate_cpp(*compiled.unit, diagnostics);
  }
  to_text(compiled.preprocessed, sources);
  render_text(diagnostics, sources, true);
  render_json(diagnostics, sources);
  return 0;
}
