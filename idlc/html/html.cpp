#include "idlc/html/html.h"

#include <filesystem>

#include "idlc/ir/components.h"
#include "idlc/ir/values.h"

namespace orbweaver::idl {

using namespace ir;

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// Without the marks of a comment, a paragraph for each run of lines.
std::string comment_text(std::string_view comment) {
  std::string out;
  bool open = false;
  while (!comment.empty()) {
    std::size_t end = std::min(comment.find('\n'), comment.size());
    std::string_view line = comment.substr(0, end);
    comment.remove_prefix(std::min(end + 1, comment.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t/*!"), line.size()));
    while (!line.empty() && std::string_view(" \t\r*/").find(line.back()) != std::string_view::npos)
      line.remove_suffix(1);
    if (line.empty()) {
      if (open) out += "</p>\n";
      open = false;
      continue;
    }
    out += (open ? " " : "<p>") + escaped(line);
    open = true;
  }
  return out + (open ? "</p>\n" : "");
}

class Page {
 public:
  Page(const Unit& unit, const Sources& sources) : unit_(unit), sources_(sources) {}

  std::string text() {
    std::string title = std::filesystem::path(unit_.main_path).filename().string();
    all(unit_.contents);
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
           "</title>\n<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
           "code,pre{font-family:monospace;background:#f4f4f4}pre{padding:.5em 1em;overflow:auto}"
           "section{border-left:3px solid #ddd;padding-left:1em;margin:1.5em "
           "0}h2{font-size:1.1em}.id{color:#777;font-size:.85em}"
           "</style></head>\n<body><h1>" +
           escaped(title) + "</h1>\n<ul>\n" + index_ + "</ul>\n" + body_ + "</body></html>\n";
  }

 private:
  static std::string anchor(const Declaration& d) { return escaped(scoped_name(&d).substr(2)); }

  std::string link(const Declaration& d) {
    std::string page;
    if (!d.in_main_file && d.span.known()) {
      page = std::filesystem::path(sources_.file(d.span.file).path()).stem().string() + ".html";
    }
    std::string name = anchor(d);
    return d.span.known() ? "<a href=\"" + escaped(page) + "#" + name + "\">" + name + "</a>" : name;
  }

  std::string type(const Type& t) {
    std::string bound = t.bound ? ", " + std::to_string(t.bound) : "";
    switch (t.kind) {
      case TypeKind::declared:
        return link(*t.declaration);
      case TypeKind::sequence:
        return "sequence&lt;" + type(*t.element) + bound + "&gt;";
      case TypeKind::map:
        return "map&lt;" + type(*t.key) + ", " + type(*t.element) + bound + "&gt;";
      case TypeKind::array:
        return type(*t.element);
      default:
        return escaped(describe(t));
    }
  }
  static std::string dimensions(const Type& t) {
    std::string out;
    for (std::uint64_t each : t.dimensions) out += "[" + std::to_string(each) + "]";
    return out;
  }

  static std::string value(const Value& v) {
    if (auto* i = std::get_if<Integer>(&v)) return to_string(*i);
    if (auto* b = std::get_if<bool>(&v)) return *b ? "TRUE" : "FALSE";
    if (auto* d = std::get_if<long double>(&v)) return to_string(*d, TypeKind::double_);
    if (auto* s = std::get_if<std::string>(&v)) return '"' + escaped(*s) + '"';
    if (auto* c = std::get_if<char>(&v)) return "'" + escaped(std::string(1, *c)) + "'";
    if (auto* w = std::get_if<Wide>(&v)) return "L\"" + escaped(utf8(w->text)) + '"';
    if (auto* f = std::get_if<Fixed>(&v)) return to_string(*f) + "d";
    if (auto* e = std::get_if<const Enumerator*>(&v)) return (*e)->name;
    return "";
  }

  std::string names(std::string_view before, const auto& list) {
    std::string out;
    for (const auto* each : list) out += (out.empty() ? std::string(before) : ", ") + link(*each);
    return out;
  }

  std::string fields(const std::vector<Field>& list) {
    std::string out = " {\n";
    for (const Field& each : list)
      out += "  " + type(*each.type) + " " + escaped(each.name) + dimensions(*each.type) + ";\n";
    return out + "}";
  }

  std::string parameters(const std::vector<Parameter>& list) {
    constexpr const char* kDirections[] = {"in ", "out ", "inout "};
    std::string out;
    for (const Parameter& each : list) {
      out += (out.empty() ? "" : ", ") + std::string(each.view ? "@view " : "") +
             kDirections[static_cast<int>(each.direction)] + type(*each.type) + " " + escaped(each.name);
    }
    return "(" + out + ")";
  }

  std::string raises(std::string_view word, const std::vector<const Declaration*>& list) {
    return list.empty() ? "" : " " + names(std::string(word) + " (", list) + ")";
  }

  // The definition as IDL again, its names as links.
  std::string definition(const Declaration& d) {
    std::string head = std::string(noun(d.kind)) + " " + escaped(d.name);
    switch (d.kind) {
      case DeclKind::struct_:
        return "struct " + escaped(d.name) + (as<Struct>(d).base ? " : " + link(*as<Struct>(d).base) : "") +
               fields(as<Struct>(d).fields);
      case DeclKind::exception:
        return head + fields(as<Exception>(d).fields);
      case DeclKind::enum_: {
        std::string out;
        for (const Enumerator* each : as<Enum>(d).enumerators)
          out += (out.empty() ? " { " : ", ") + escaped(each->name);
        return head + out + " }";
      }
      case DeclKind::union_: {
        std::string out = head + " switch (" + type(*as<Union>(d).discriminator) + ") {\n";
        for (const UnionCase& each : as<Union>(d).cases) {
          for (const Value& label : each.labels) out += "  case " + value(label) + ":\n";
          if (each.is_default) out += "  default:\n";
          out += "    " + type(*each.field.type) + " " + escaped(each.field.name) +
                 dimensions(*each.field.type) + ";\n";
        }
        return out + "}";
      }
      case DeclKind::typedef_:
        return "typedef " + type(*as<Typedef>(d).type) + " " + escaped(d.name) +
               dimensions(*as<Typedef>(d).type);
      case DeclKind::constant:
        return "const " + type(*as<Constant>(d).type) + " " + escaped(d.name) + " = " +
               value(as<Constant>(d).value);
      case DeclKind::interface:
        return std::string(as<Interface>(d).abstract_ ? "abstract "
                           : as<Interface>(d).local   ? "local "
                                                      : "") +
               head + names(" : ", as<Interface>(d).bases);
      case DeclKind::value:
        return "valuetype " + escaped(d.name) + names(" : ", as<Value_>(d).bases) +
               names(" supports ", as<Value_>(d).supports);
      case DeclKind::value_box:
        return "valuetype " + escaped(d.name) + " " + type(*as<ValueBox>(d).type);
      case DeclKind::attribute:
        return std::string(as<Attribute>(d).readonly ? "readonly " : "") + "attribute " +
               type(*as<Attribute>(d).type) + " " + escaped(d.name) +
               raises("getraises", as<Attribute>(d).get_raises) +
               raises("setraises", as<Attribute>(d).set_raises);
      case DeclKind::operation:
        return std::string(as<Operation>(d).oneway ? "oneway " : "") + type(*as<Operation>(d).result) + " " +
               escaped(d.name) + parameters(as<Operation>(d).parameters) +
               raises("raises", as<Operation>(d).raises);
      case DeclKind::component:
      case DeclKind::connector:
      case DeclKind::porttype:
        return head + (as<Component>(d).base ? " : " + link(*as<Component>(d).base) : "") +
               names(" supports ", as<Component>(d).supports);
      case DeclKind::home:
        return head + (as<Home>(d).base ? " : " + link(*as<Home>(d).base) : "") +
               names(" supports ", as<Home>(d).supports) +
               (as<Home>(d).component ? " manages " + link(*as<Home>(d).component) : "") +
               (as<Home>(d).primary_key ? " primarykey " + link(*as<Home>(d).primary_key) : "");
      case DeclKind::port:
        return std::string(spelling(as<Port>(d).role)) + " " +
               (as<Port>(d).target ? link(*as<Port>(d).target) : "Object") + " " + escaped(d.name);
      case DeclKind::template_module: {
        std::string out;
        for (const auto& each : as<TemplateModule>(d).parameters)
          out += (out.empty() ? "" : ", ") + std::string(spelling(each.kind)) + " " + escaped(each.name);
        return "module " + escaped(d.name) + "&lt;" + out + "&gt;";
      }
      case DeclKind::factory:
      case DeclKind::finder:
        return head + parameters(as<Factory>(d).parameters) + raises("raises", as<Factory>(d).raises);
      case DeclKind::state_member:
        return std::string(as<StateMember>(d).public_ ? "public " : "private ") +
               type(*as<StateMember>(d).field.type) + " " + escaped(d.name) +
               dimensions(*as<StateMember>(d).field.type);
      default:
        return head;
    }
  }

  void all(const std::vector<const Declaration*>& contents) {
    for (const Declaration* each : contents) {
      if (each->kind == DeclKind::module)
        all(as<Module>(*each).contents);
      else if (each->in_main_file)
        one(*each);
    }
  }

  void one(const Declaration& d) {
    bool top = !d.parent || d.parent->kind == DeclKind::module;
    if (top)
      index_ += "<li>" + link(d) + " <span class=\"id\">" + std::string(noun(d.kind)) + "</span></li>\n";
    body_ += "<section id=\"" + anchor(d) + "\">\n" + (top ? "<h2>" + anchor(d) + "</h2>\n" : "") + "<pre>" +
             definition(d) + "</pre>\n" + comment_text(d.comment);
    if (top) body_ += "<p class=\"id\">" + escaped(d.repository_id) + "</p>\n";
    if (d.kind == DeclKind::interface) all(as<Interface>(d).contents);
    if (d.kind == DeclKind::value) all(as<Value_>(d).contents);
    if (d.kind == DeclKind::struct_) all(as<Struct>(d).contents);
    if (d.kind == DeclKind::exception) all(as<Exception>(d).contents);
    if (d.kind == DeclKind::union_) all(as<Union>(d).contents);
    if (d.kind == DeclKind::value_box) all(as<ValueBox>(d).contents);
    if (d.kind == DeclKind::component || d.kind == DeclKind::connector || d.kind == DeclKind::porttype)
      all(as<Component>(d).contents);
    if (d.kind == DeclKind::home) all(as<Home>(d).contents);
    body_ += "</section>\n";
  }

  const Unit& unit_;
  const Sources& sources_;
  std::string index_, body_;
};

}  // namespace

OutputFile generate_html(const Unit& unit, const Sources& sources) {
  return {std::filesystem::path(unit.main_path).stem().string() + ".html", Page(unit, sources).text()};
}

}  // namespace orbweaver::idl
