#pragma once

#include <string>
#include <vector>

#include "idlc/cpp/constructs.h"

/// Generates the lines that encode and decode a call's values. Stubs and skeletons use the same lines in
/// different places.
namespace orbweaver::idl::cpp {

bool travels_in(const ir::Parameter& parameter);   // with the request
bool travels_out(const ir::Parameter& parameter);  // with the reply

/// "::orbweaver::cdr::encode(_out, text);"
std::string encode_line(const ir::Parameter& parameter, const std::string& expression);
/// "::orbweaver::cdr::decode(_in, text);"
std::string decode_line(const ir::Parameter& parameter, const std::string& expression);
/// The sum of the size bounds of several expressions; "0" if there are none. Lines after the first are
/// indented by `spaces`.
std::string bound_sum(const std::vector<std::string>& expressions, int spaces);

}  // namespace orbweaver::idl::cpp
