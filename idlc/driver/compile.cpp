#include "idlc/driver/compile.h"

#include "idlc/parse/parse.h"
#include "idlc/sema/sema.h"

namespace orbweaver::idl {

CompileResult compile(Sources& sources, std::uint32_t file, const PreprocessOptions& options,
                      Diagnostics& diagnostics) {
  Preprocessor preprocessor(sources, file, options, diagnostics);
  const std::unique_ptr<SemanticChecker> checking =
      make_semantic_checker(preprocessor.unit(), sources, diagnostics);
  CompileResult out;
  const bool whole = parse(preprocessor, *checking, diagnostics);
  if (options.keep_tokens) preprocessor.drain();
  if (whole) out.unit = checking->finish();
  out.preprocessed = preprocessor.release();
  if (!diagnostics.ok()) out.unit = nullptr;
  return out;
}

CompileResult compile(Sources& sources, const std::string& path, const PreprocessOptions& options,
                      Diagnostics& diagnostics) {
  Sources::LoadResult loaded = sources.load(path);
  if (loaded.file) return compile(sources, loaded.id, options, diagnostics);
  diagnostics.error("unreadable-file", {}, "'" + path + "' " + loaded.problem);
  return {};
}

}  // namespace orbweaver::idl
