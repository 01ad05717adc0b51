#include "naming/naming_commands.h"

#include <orbweaver/orb.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "CosNamingC.h"
#include "base/printable.h"
#include "services/naming/name_text.h"

namespace orbweaver::naming {
namespace {

using Context = CosNaming::NamingContext;
using ContextRef = IDL::traits<Context>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using Reason = Context::NotFoundReason;
using nlohmann::json;

constexpr std::uint32_t kListedAtOnce = 100;
/// Limits of `list --recursive`, whose contexts may form cycles through other services.
constexpr std::size_t kMaxListedContexts = 10'000;
constexpr std::size_t kMaxListedDepth = 64;
/// Limit of the bindings of a listing: a service may list some without end.
constexpr std::size_t kMaxListed = 100'000;

/// An ORB for the calls of one command.
struct Caller {
  explicit Caller(const CommandOptions& options) {
    std::vector<std::string> words{"orbweaver", "-ORBCallTimeout", std::to_string(options.timeout_ms)};
    words.insert(words.end(), options.orb.begin(), options.orb.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    orb = CORBA::ORB_init(argc, argv.data(), "naming command");
    if (argc > 1) {
      orb->destroy();
      throw Error{ErrorKind::invalid, std::string("there is no option -ORB for '") + argv[1] + "'"};
    }
    const ObjectRef object = orb->string_to_object(options.service);
    root = IDL::traits<Context>::narrow(object);
    if (!root) throw Error{ErrorKind::unavailable, "'" + options.service + "' is not a naming service"};
  }
  ~Caller() {
    root = nullptr;
    orb->destroy();
  }
  OrbRef orb;
  ContextRef root;
};

std::string describe(const std::string& name, const Context::NotFound& e) {
  const std::string at = e.rest_of_name().empty() ? name : to_text({e.rest_of_name().front()});
  switch (e.why()) {
    case Reason::missing_node: return "'" + name + "': '" + at + "' is not bound";
    case Reason::not_context: return "'" + name + "': '" + at + "' is not a context";
    case Reason::not_object: return "'" + name + "': '" + at + "' is bound to a context, not to an object";
  }
  return "'" + name + "' is not found";
}

/// Executes a command with its caller, and describes the exceptions.
template <class Command>
Result<std::string> execute(const CommandOptions& options, Command command) {
  const std::string& name = options.name;
  const auto failed = [](const std::string& why) { return Error{ErrorKind::unavailable, why}; };
  try {
    Caller caller(options);
    return command(caller);
  } catch (const Error& e) {
    return e;
  } catch (const Context::NotFound& e) {
    return failed(describe(name, e));
  } catch (const Context::CannotProceed& e) {
    return failed("'" + name + "': the context before '" + to_text(e.rest_of_name()) +
                  "' does not exist or does not respond");
  } catch (const Context::InvalidName&) {
    return Error{ErrorKind::invalid,
                 "'" + name +
                     "' is not a name: it has the form id.kind/id.kind, with \\ before a '.', '/' or "
                     "'\\' that belongs to the text"};
  } catch (const Context::AlreadyBound&) {
    return failed("'" + name + "' is bound already; unbind it first, or choose another name");
  } catch (const Context::NotEmpty&) {
    return failed("the context '" + name + "' is not empty");
  } catch (const CORBA::BAD_PARAM& e) {
    return Error{ErrorKind::invalid, e.detail()};
  } catch (const CORBA::TIMEOUT& e) {
    return Error{ErrorKind::timed_out, options.service + ": " + (e.detail().empty() ? e.what() : e.detail())};
  } catch (const CORBA::TRANSIENT& e) {
    return failed(options.service + ": " + (e.detail().empty() ? e.what() : e.detail()) +
                  "; is the service running? " + options.service_option + " names another one");
  } catch (const CORBA::SystemException& e) {
    return failed(options.service + ": " + (e.detail().empty() ? e.what() : e.detail()));
  }
}

/// The object as a naming context; nil if it is none. Calls it; `subject` names it if it does not respond.
ContextRef narrow_to_context(const ObjectRef& object, const std::string& subject, const std::string& advice) {
  try {
    return IDL::traits<Context>::narrow(object);
  } catch (const CORBA::SystemException& e) {
    throw Error{ErrorKind::unavailable,
                subject + " cannot be called: " + (e.detail().empty() ? e.what() : e.detail()) + advice};
  }
}

ContextRef context_at(const Caller& caller, const std::string& name) {
  if (name.empty()) return caller.root;
  const auto context =
      narrow_to_context(caller.root->resolve(to_name(name)), "the object bound to '" + name + "'",
                        "; 'orbweaver naming unbind' removes the binding");
  if (!context) throw Error{ErrorKind::unavailable, "'" + name + "' is not a context"};
  return context;
}

/// All bindings, or the first `most`.
CosNaming::BindingList bindings_of(const ContextRef& context, std::size_t most) {
  CosNaming::BindingList all, more;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  context->list(kListedAtOnce, all, rest);
  if (rest) {
    // An empty list without an end would be asked for again and again.
    while (all.size() < most && rest->next_n(kListedAtOnce, more) && !more.empty())
      all.insert(all.end(), more.begin(), more.end());
    rest->destroy();
  }
  if (all.size() > most) all.resize(most);
  return all;
}

/// In ASCII: names of other programs may have characters that control a terminal.
std::string json_text(const json& value) {
  return value.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
}

struct Listing {
  json rows = json::array();
  std::string text;
  std::set<std::string> listed;  // references of the contexts, to end cycles
};

void list(Caller& caller, const ContextRef& context, const CosNaming::Name& prefix, bool recursive,
          Listing& listing) {
  listing.listed.insert(caller.orb->object_to_string(context));
  const std::size_t most = kMaxListed - std::min(kMaxListed, listing.rows.size());
  const CosNaming::BindingList bindings = bindings_of(context, most + 1);
  for (const CosNaming::Binding& binding : bindings) {
    if (listing.rows.size() >= kMaxListed)
      throw Error{ErrorKind::unavailable, "the service lists more than " + std::to_string(kMaxListed) +
                                              " bindings: list a context in it, by its name"};
    CosNaming::Name name = prefix;
    name.insert(name.end(), binding.binding_name().begin(), binding.binding_name().end());
    const bool is_context = binding.binding_type() == CosNaming::BindingType::ncontext;
    const std::string text = to_text(name);
    json row = {{"name", text}, {"type", is_context ? "context" : "object"}};
    std::string note;
    ContextRef below;
    if (is_context && recursive) {
      try {
        below = IDL::traits<Context>::narrow(context->resolve(binding.binding_name()));
        if (below && listing.listed.count(caller.orb->object_to_string(below)) != 0) {
          note = "listed already";
        } else if (listing.listed.size() >= kMaxListedContexts || name.size() >= kMaxListedDepth) {
          note = "not listed: too many contexts";
        }
      } catch (const CORBA::SystemException& e) {
        note = std::string("cannot be listed: ") + e._name();
      }
    }
    if (!note.empty()) row["note"] = note;
    listing.rows.push_back(row);
    listing.text +=
        printable(text) + (is_context ? "/" : "") + (note.empty() ? "" : "  (" + note + ")") + "\n";
    if (!below || !note.empty()) continue;
    try {
      list(caller, below, name, recursive, listing);
    } catch (const CORBA::SystemException& e) {
      listing.text += printable(text) + "/  (cannot be listed: " + e._name() + ")\n";
      listing.rows.back()["note"] = std::string("cannot be listed: ") + e._name();
    }
  }
}

/// Creates the contexts of a name, without its last component, that do not exist.
void make_parents(const Caller& caller, const CosNaming::Name& name) {
  for (std::size_t length = 1; length < name.size(); ++length) {
    try {
      caller.root->bind_new_context({name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length)});
    } catch (const Context::AlreadyBound&) {
    }
  }
}

std::string done(const CommandOptions& options, const char* what) {
  return options.json ? json_text({{"name", options.name}, {"result", what}}) : std::string();
}

}  // namespace

Result<std::string> list_bindings(const CommandOptions& options) {
  return execute(options, [&](Caller& caller) {
    // As a listing shows contexts: "radios/".
    std::string name = options.name;
    if (name.ends_with('/') && !name.ends_with("\\/")) name.pop_back();
    Listing listing;
    list(caller, context_at(caller, name), name.empty() ? CosNaming::Name() : to_name(name),
         options.recursive, listing);
    return options.json ? json_text(listing.rows) : listing.text;
  });
}

Result<std::string> resolve_name(const CommandOptions& options) {
  return execute(options, [&](Caller& caller) {
    const ObjectRef object = caller.root->resolve(to_name(options.name));
    const std::string reference = caller.orb->object_to_string(object);
    if (!options.json) return reference + "\n";
    return json_text({{"name", options.name},
                      {"repository_id", object ? object->_repository_id() : ""},
                      {"reference", reference}});
  });
}

Result<std::string> bind_name(const CommandOptions& options) {
  return execute(options, [&](Caller& caller) {
    const CosNaming::Name name = to_name(options.name);
    const ObjectRef object = caller.orb->string_to_object(options.reference);
    const ContextRef bound =
        options.context ? narrow_to_context(object, "the context", ", and must respond when it is bound")
                        : nullptr;
    if (options.context && !bound)
      throw Error{ErrorKind::invalid, "the reference is not of a naming context"};
    if (options.parents) make_parents(caller, name);
    try {
      if (options.context) {
        options.replace ? caller.root->rebind_context(name, bound) : caller.root->bind_context(name, bound);
      } else {
        options.replace ? caller.root->rebind(name, object) : caller.root->bind(name, object);
      }
    } catch (const Context::AlreadyBound&) {
      throw Error{ErrorKind::unavailable,
                  "'" + options.name + "' is bound already; --replace replaces a binding"};
    }
    return done(options, "bound");
  });
}

Result<std::string> unbind_name(const CommandOptions& options) {
  return execute(options, [&](Caller& caller) {
    caller.root->unbind(to_name(options.name));
    return done(options, "unbound");
  });
}

Result<std::string> new_context(const CommandOptions& options) {
  return execute(options, [&](Caller& caller) {
    const CosNaming::Name name = to_name(options.name);
    if (options.parents) make_parents(caller, name);
    caller.root->bind_new_context(name);
    return done(options, "created");
  });
}

Result<std::string> destroy_context(const CommandOptions& options) {
  return execute(options, [&](Caller& caller) {
    const ContextRef context = context_at(caller, options.name);
    context->destroy();
    if (!options.name.empty()) caller.root->unbind(to_name(options.name));
    return done(options, "destroyed");
  });
}

}  // namespace orbweaver::naming
