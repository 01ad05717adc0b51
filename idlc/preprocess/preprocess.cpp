#include "idlc/preprocess/preprocess.h"

#include <algorithm>
#include <utility>

#include "idlc/builtin/builtin.h"
#include "idlc/preprocess/limits.h"
#include "idlc/preprocess/preprocessor_state.h"

namespace orbweaver::idl {

Preprocessor::State::State(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                           Diagnostics& diagnostics)
    : sources_(sources), options_(options), diagnostics_(diagnostics), macros_(diagnostics),
      expander_(macros_, sources, diagnostics) {
  unit_.main_file = main_file;
  unit_.files.push_back(sources_.file(main_file).path());
  end_.span = {main_file, static_cast<std::uint32_t>(sources_.file(main_file).text().size()), 1};
  push(main_file, std::nullopt);
  define_from_command_line();
}

Token Preprocessor::State::next() {
  const Token token = next_output();
  if (options_.keep_tokens && (unit_.tokens.empty() || unit_.tokens.back().kind != TokenKind::end))
    unit_.tokens.push_back(token);
  return token;
}

std::vector<Token> Preprocessor::State::imported(std::string_view module) {
  const std::string name = module == "CORBA" ? "orb.idl" : module == "IOP" ? "IOP.idl" : "";
  std::vector<Token> out;
  if (name.empty() || unit_.stopped) return out;
  // The tokens that are ready follow those of the built-in file.
  std::vector<Token> waiting(ready_.begin() + static_cast<std::ptrdiff_t>(ready_at_), ready_.end());
  ready_.clear();
  ready_at_ = 0;
  const std::size_t depth = open_.size();
  enter_builtin(name, end_.span);
  while (open_.size() > depth && !unit_.stopped) step();
  out.swap(ready_);
  ready_.swap(waiting);
  if (options_.keep_tokens) unit_.tokens.insert(unit_.tokens.end(), out.begin(), out.end());
  return out;
}

Token Preprocessor::State::next_output() {
  while (ready_at_ == ready_.size()) {
    ready_.clear();
    ready_at_ = 0;
    if (unit_.stopped || open_.empty()) return end_;
    step();
  }
  if (++tokens_returned_ > limits::kTokens) {
    stop("too-large", ready_[ready_at_].span, "this file and its includes are too large");
    return end_;
  }
  return ready_[ready_at_++];
}

void Preprocessor::State::define_from_command_line() {
  // IDL files test for omniidl to find out whether escaped names and CORBA 3 are supported, as they are
  // here.
  std::string text = "#define __ORBWEAVER_IDL__ 1\n#define __OMNIIDL__ 0x4020\n";
  for (std::string define : options_.defines) {
    std::size_t equals = define.find('=');
    if (equals == std::string::npos)
      define += " 1";
    else
      define[equals] = ' ';
    text += "#define " + define + '\n';
  }
  for (const std::string& name : options_.undefines) text += "#undef " + name + '\n';
  push(sources_.add("<command line>", text), std::nullopt);
}

void Preprocessor::State::stop(std::string_view name, Span where, std::string message) {
  if (!unit_.stopped) diagnostics_.error(name, where, std::move(message));
  unit_.stopped = true;
}

// Starts reading a file; the open files continue after it.
void Preprocessor::State::push(std::uint32_t id, std::optional<Span> included) {
  const Span start{id, 0, 1};
  const std::size_t bytes = sources_.file(id).text().size();
  auto cached = cached_.find(id);
  if (cached == cached_.end() && included && bytes <= kMaxCachedFileBytes &&
      cached_tokens_ < kMaxCachedTokens) {
    cached = cached_.emplace(id, lex(sources_, id, diagnostics_)).first;
    cached_tokens_ += cached->second.size();
  }
  if (cached != cached_.end()) {
    tokens_read_ += cached->second.size();
    open_.push_back(std::make_unique<OpenFile>(id, cached->second));
  } else {
    tokens_read_ += bytes / 4;
    open_.push_back(std::make_unique<OpenFile>(id, std::make_unique<Lexer>(sources_, id, diagnostics_)));
  }
  open_.back()->included = included;
  if (tokens_read_ > limits::kReadTokens)
    stop("too-large", start, "the files included here are too large, or are included too often");
}

// Reads a token, a directive or a macro call from the innermost file.
void Preprocessor::State::step() {
  OpenFile& file = *open_.back();
  if (!file.begun) {
    file.begun = true;
    mark(file, TokenKind::file_enter);
  }
  const Token& token = file.cursor.peek();
  if (token.kind == TokenKind::end) return leave();
  if (token.kind == TokenKind::hash && token.starts_line) {
    directive(file);
  } else if (!keeping()) {
    file.cursor.take();
  } else if (macros_.is_macro(token)) {
    const auto first = static_cast<std::ptrdiff_t>(ready_.size());
    if (!expander_.expand(file.cursor, ready_)) unit_.stopped = true;
    const auto unusable = [&](const Token& made) { return !usable(made, file.unknown_token_reported); };
    ready_.erase(std::remove_if(ready_.begin() + first, ready_.end(), unusable), ready_.end());
  } else {
    if (usable(token, file.unknown_token_reported)) ready_.push_back(token);
    file.cursor.take();
  }
}

void Preprocessor::State::leave() {
  OpenFile& file = *open_.back();
  file.conditionals.check_closed(diagnostics_);
  mark(file, TokenKind::file_leave);
  open_.pop_back();
}

void Preprocessor::State::mark(const OpenFile& file, TokenKind kind) {
  if (!file.included) return;
  Token token;
  token.kind = kind;
  token.span = *file.included;
  ready_.push_back(token);
}

// Whether a token can be passed on. Reports invalid bytes once per file, and each unterminated literal.
bool Preprocessor::State::usable(const Token& token, bool& unknown_token_reported) {
  if (token.kind < TokenKind::hash || token.kind >= TokenKind::pragma) {
    if (token.kind != TokenKind::unknown) return true;
    char first = token.text[0];
    if (first == '"' || first == '\'' || token.text.size() > 1) {
      bool string = token.text.find('"') < 2;
      diagnostics_.error(
          "unterminated-literal", token.span,
          string ? "this string has no closing '\"' on its line" : "this character literal has no closing '");
      return true;
    }
  }
  if (!unknown_token_reported) {
    bool ascii = static_cast<unsigned char>(token.text[0]) < 0x80 && token.text[0] >= ' ';
    diagnostics_.error("stray-character", token.span,
                       ascii ? "'" + std::string(token.text) + "' means nothing in IDL here"
                             : "this byte is valid only in comments and strings");
  }
  unknown_token_reported = true;
  return false;
}

// Starts reading a built-in file; false if there is none with this name.
bool Preprocessor::State::enter_builtin(const std::string& name, Span where) {
  std::string_view text = builtin_idl(name);
  if (text.empty()) return false;
  auto [at, fresh] = builtin_ids_.try_emplace(name, 0);
  if (!fresh) return true;
  at->second = sources_.add("<built-in>/" + name, std::string(text));
  unit_.builtins.insert(at->second);
  push(at->second, where);
  return true;
}

Preprocessor::Preprocessor(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                           Diagnostics& diagnostics)
    : state_(std::make_unique<State>(sources, main_file, options, diagnostics)) {}
Preprocessor::~Preprocessor() = default;

Token Preprocessor::next() { return state_->next(); }
bool Preprocessor::stopped() const { return state_->unit_.stopped; }
std::vector<Token> Preprocessor::imported(std::string_view module) { return state_->imported(module); }
const TranslationUnit& Preprocessor::unit() const { return state_->unit_; }

TranslationUnit Preprocessor::release() { return std::move(state_->unit_); }

void Preprocessor::drain() {
  while (next().kind != TokenKind::end) {
  }
}

TranslationUnit preprocess(Sources& sources, std::uint32_t main_file, const PreprocessOptions& options,
                           Diagnostics& diagnostics) {
  PreprocessOptions keeping = options;
  keeping.keep_tokens = true;
  Preprocessor preprocessor(sources, main_file, keeping, diagnostics);
  preprocessor.drain();
  return preprocessor.release();
}

}  // namespace orbweaver::idl
