// Any bytes as IDL: through every stage, the C++ back end, the dump and both ways to tell what is wrong.
#include <cstddef>
#include <cstdint>
#include <string>

#include "idlc/cpp/cpp.h"
#include "idlc/driver/compile.h"
#include "idlc/dump/json.h"
#include "idlc/source/render.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orbweaver::idl;
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("fuzz.idl", std::string(reinterpret_cast<const char*>(data), size));
  const Compiled compiled = compile(sources, file, {}, diagnostics);
  if (compiled.unit) {
    dump_json(*compiled.unit, sources);
    generate_cpp(*compiled.unit, diagnostics);
  }
  to_text(compiled.preprocessed, sources);
  render_text(diagnostics, sources, true);
  render_json(diagnostics, sources);
  return 0;
}
