#include "idlc/html/html_pages.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "idlc/html/definition.h"
#include "idlc/ir/components.h"

namespace orbweaver::idl {

using namespace ir;
using html::escaped;

namespace {

constexpr std::string_view kStyle =
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "code,pre{font-family:monospace;background:#f4f4f4}pre{padding:.5em 1em;overflow:auto}"
    "section{border-left:3px solid #ddd;padding-left:1em;margin:1.5em 0}h2{font-size:1.1em}dd p{margin:0}"
    ".id{color:#777;font-size:.85em}";

// The canonical path, or `path` itself if there is none, as for a pipe at /dev/stdin.
std::string canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path result = std::filesystem::weakly_canonical(path, error);
  return error ? path : result.string();
}
std::string page_of(const std::string& path) { return std::filesystem::path(path).stem().string() + ".html"; }

std::string document(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\"><title>" +
         title + "</title>\n<style>" + std::string(kStyle) + "</style></head>\n<body><h1>" + title +
         "</h1>\n" + body + "</body></html>\n";
}

// A comment as HTML without its delimiters, with a paragraph for each group of non-empty lines.
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
  Page(const Unit& unit, const Sources& sources, const std::vector<std::string>& set)
      : unit_(unit), sources_(sources), set_(set) {}

  std::string text(const std::string& title) {
    all(unit_.contents);
    return document(title, (set_.size() > 1 ? "<p><a href=\"index.html\">All files</a></p>\n" : "") +
                               ("<ul>\n" + index_ + "</ul>\n" + body_));
  }
  /// The page's entries in the index of several pages: the definitions at global and at module scope.
  std::string entries(const std::string& page) const {
    std::string out;
    for (const Declaration* each : top_) {
      const std::string name = anchor(*each);
      out += "<li><a href=\"" + escaped(page) + "#" + name + "\">" + name + "</a> <span class=\"id\">" +
             std::string(noun(each->kind)) + "</span></li>\n";
    }
    return out;
  }

 private:
  static std::string anchor(const Declaration& d) { return escaped(scoped_name(&d).substr(2)); }

  std::string link(const Declaration& d) const {
    const std::string name = anchor(d);
    if (!d.span.known()) return name;
    std::string page;
    if (!d.in_main_file) {
      const std::string path = sources_.file(d.span.file).path();
      if (std::find(set_.begin(), set_.end(), canonical(path)) == set_.end()) return name;
      page = page_of(path);
    }
    return "<a href=\"" + escaped(page) + "#" + name + "\">" + name + "</a>";
  }

  void all(const std::vector<const Declaration*>& contents) {
    for (const Declaration* each : contents) {
      if (each->kind == DeclKind::module) {
        if (each->in_main_file && !each->comment.empty()) {
          body_ += "<h2>module " + anchor(*each) + "</h2>\n" + comment_text(each->comment);
        }
        all(as<Module>(*each).contents);
      } else if (each->in_main_file) {
        one(*each);
      }
    }
  }

  // The comments of the members, in order.
  static std::string members(const std::vector<Field>& fields) {
    std::string out;
    for (const Field& each : fields) {
      if (!each.comment.empty())
        out +=
            "<dt><code>" + escaped(each.name) + "</code></dt><dd>" + comment_text(each.comment) + "</dd>\n";
    }
    return out.empty() ? "" : "<dl>\n" + out + "</dl>\n";
  }
  static std::string members(const Declaration& d) {
    switch (d.kind) {
      case DeclKind::struct_: return members(as<Struct>(d).fields);
      case DeclKind::exception: return members(as<Exception>(d).fields);
      case DeclKind::union_: {
        std::vector<Field> fields;
        for (const UnionCase& each : as<Union>(d).cases) fields.push_back(each.field);
        return members(fields);
      }
      case DeclKind::enum_:
      case DeclKind::bitmask: {
        std::vector<Field> fields;
        for (const Enumerator* each :
             d.kind == DeclKind::enum_ ? as<Enum>(d).enumerators : as<Bitmask>(d).flags) {
          fields.emplace_back();
          fields.back().name = each->name;
          fields.back().comment = each->comment;
        }
        return members(fields);
      }
      default: return "";
    }
  }

  void one(const Declaration& d) {
    const bool top = !d.parent || d.parent->kind == DeclKind::module;
    if (top) {
      top_.push_back(&d);
      index_ += "<li>" + link(d) + " <span class=\"id\">" + std::string(noun(d.kind)) + "</span></li>\n";
    }
    body_ += "<section id=\"" + anchor(d) + "\">\n" + (top ? "<h2>" + anchor(d) + "</h2>\n" : "") + "<pre>" +
             html::definition(d, [this](const Declaration& to) { return link(to); }) + "</pre>\n" +
             comment_text(d.comment) + members(d);
    if (top) body_ += "<p class=\"id\">" + escaped(d.repository_id()) + "</p>\n";
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
  const std::vector<std::string>& set_;
  std::vector<const Declaration*> top_;
  std::string index_, body_;
};

}  // namespace

HtmlPages::HtmlPages(const std::vector<std::string>& paths) {
  for (const std::string& each : paths) set_.push_back(canonical(each));
}

OutputFile HtmlPages::page(const Unit& unit, const Sources& sources) {
  const std::string name = page_of(unit.main_path);
  const std::string title = escaped(std::filesystem::path(unit.main_path).filename().string());
  Page page(unit, sources, set_);
  std::string text = page.text(title);
  index_ +=
      "<h2><a href=\"" + escaped(name) + "\">" + title + "</a></h2>\n<ul>\n" + page.entries(name) + "</ul>\n";
  return {name, std::move(text)};
}

OutputFile HtmlPages::index() const { return {"index.html", document("IDL reference", index_)}; }

}  // namespace orbweaver::idl
