#include "idlc/cpp/marshal.h"

#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"

namespace orbweaver::idl::cpp {

using namespace ir;

bool travels_in(const Parameter& parameter) { return parameter.direction != Direction::out; }
bool travels_out(const Parameter& parameter) { return parameter.direction != Direction::in; }

namespace {

// The bound of a view. It is not part of the view's C++ type, so it is checked when the value is marshalled.
std::uint64_t view_bound(const Parameter& parameter) {
  return parameter.view ? resolved(*parameter.type).bound : 0;
}

}  // namespace

std::string encode_line(const Parameter& parameter, const std::string& expression) {
  std::uint64_t bound = view_bound(parameter);
  if (bound)
    return "::orbweaver::cdr::encode(_out, ::IDL::checked_bound<" + std::to_string(bound) + ">(" +
           expression + "));\n";
  return "::orbweaver::cdr::encode(_out, " + expression + ");\n";
}

std::string decode_line(const Parameter& parameter, const std::string& expression) {
  std::uint64_t bound = view_bound(parameter);
  if (!bound) return "::orbweaver::cdr::decode(_in, " + expression + ");\n";
  if (resolved(*parameter.type).kind == TypeKind::string)
    return expression + " = _in.get_string_view(" + std::to_string(bound) + ");\n";
  return "::orbweaver::cdr::Codec<" + view_name(*parameter.type) + ">::decode_bounded(_in, " + expression +
         ", " + std::to_string(bound) + ");\n";
}

std::string bound_sum(const std::vector<std::string>& expressions, int spaces) {
  std::vector<std::string> terms;
  for (const std::string& each : expressions) terms.push_back("::orbweaver::cdr::bound_of(" + each + ")");
  std::string one_line = join(terms, " + ");
  if (one_line.size() <= 80) return terms.empty() ? "0" : one_line;
  return join(terms, " +\n" + std::string(static_cast<std::size_t>(spaces), ' '));
}

}  // namespace orbweaver::idl::cpp
