#include "idlc/driver/compile.h"

#include "idlc/parse/parse.h"
#include "idlc/sema/sema.h"

namespace orbweaver::idl {

Compiled compile(Sources& sources, std::uint32_t file, const PreprocessOptions& options,
                 Diagnostics& diagnostics) {
  Compiled out;
  out.preprocessed = preprocess(sources, file, options, diagnostics);
  tree::Unit tree = parse(out.preprocessed, diagnostics);
  if (!options.keep_tokens) std::vector<Token>().swap(out.preprocessed.tokens);
  if (!tree.stopped) out.unit = check(tree, out.preprocessed, sources, diagnostics);
  if (!diagnostics.ok()) out.unit = nullptr;
  return out;
}

Compiled compile(Sources& sources, const std::string& path, const PreprocessOptions& options,
                 Diagnostics& diagnostics) {
  Sources::Loaded loaded = sources.load(path);
  if (loaded.file) return compile(sources, loaded.id, options, diagnostics);
  diagnostics.error("unreadable-file", {}, "'" + path + "' " + loaded.problem);
  return {};
}

}  // namespace orbweaver::idl
