// An omniORB program that calls the naming service in its argument, and prints what it finds: a line for each
// unexpected result, and "complete".
#include <omniORB4/CORBA.h>
#include <omniORB4/Naming.hh>

#include <cstdio>
#include <string>

namespace {

using CosNaming::NamingContext;
using CosNaming::NamingContextExt;

void expect(bool holds, const char* what) {
  if (!holds) std::printf("unexpected: %s\n", what);
}

/// The reason and the rest of the NotFound that `call` raises; "?": another result.
template <class Call>
std::string not_found(CosNaming::NamingContextExt_ptr root, Call call) {
  try {
    call();
  } catch (const NamingContext::NotFound& e) {
    const CORBA::String_var rest = root->to_string(e.rest_of_name);
    return std::to_string(static_cast<int>(e.why)) + " " + rest.in();
  } catch (const CORBA::Exception&) {
  }
  return "?";
}

template <class Expected, class Call>
bool raises(Call call) {
  try {
    call();
  } catch (const Expected&) {
    return true;
  } catch (const CORBA::Exception&) {
  }
  return false;
}

void call_service(CORBA::ORB_ptr orb, const char* url) {
  const CORBA::Object_var object = orb->string_to_object(url);
  const CosNaming::NamingContextExt_var root = NamingContextExt::_narrow(object);
  const auto name = [&](const char* text) { return CosNaming::Name_var(root->to_name(text)); };

  const CosNaming::NamingContext_var a = root->bind_new_context(name("a.kind"));
  const CosNaming::NamingContext_var b = root->new_context();
  root->bind_context(name("a.kind/b"), b);
  root->bind(name("a.kind/b/x"), root);
  expect(raises<NamingContext::AlreadyBound>([&] { root->bind(name("a.kind/b/x"), root); }), "bind");
  root->rebind(name("a.kind/b/x"), a);
  root->rebind_context(name("a.kind/b"), b);
  const CORBA::Object_var found = root->resolve_str("a.kind/b/x");
  expect(found->_is_equivalent(a), "resolve_str");

  const auto resolving = [&](const char* text) {
    return not_found(root, [&] { CORBA::Object_var(root->resolve(name(text))); });
  };
  expect(resolving("a.kind/c/d") == "0 c/d", "missing_node");
  expect(resolving("a.kind/b/x/y/z") == "1 x/y/z", "not_context");
  expect(not_found(root, [&] { root->rebind(name("a.kind/b"), root); }) == "2 b", "not_object");
  expect(raises<NamingContext::InvalidName>([&] { CORBA::Object_var(root->resolve(CosNaming::Name())); }),
         "InvalidName");
  expect(raises<NamingContext::NotEmpty>([&] { a->destroy(); }), "NotEmpty");

  const CORBA::String_var address = root->to_url(":host:1", "x y");
  expect(std::string(address.in()) == "corbaname::host:1#x%20y", "to_url");
  expect(raises<NamingContextExt::InvalidAddress>([&] { CORBA::String_var(root->to_url("", "x")); }),
         "InvalidAddress");

  for (char id[] = "n0"; id[1] <= '9'; ++id[1]) b->bind(name(id), root);
  CosNaming::BindingList_var list;
  CosNaming::BindingIterator_var rest;
  b->list(3, list, rest);
  expect(list->length() == 3 && !CORBA::is_nil(rest), "list");
  CosNaming::Binding_var one;
  expect(rest->next_one(one) && one->binding_type == CosNaming::nobject, "next_one");
  expect(rest->next_n(100, list) && list->length() == 7, "next_n");
  expect(!rest->next_n(1, list), "next_n at the end");
  rest->destroy();
  expect(raises<CORBA::OBJECT_NOT_EXIST>([&] { rest->next_one(one); }), "destroy of an iterator");
  b->list(100, list, rest);
  expect(list->length() == 11 && CORBA::is_nil(rest), "list of all");

  const std::string url_of_x = "corbaname" + std::string(url).substr(std::string(url).find(':'));
  const CORBA::Object_var by_url = orb->string_to_object((url_of_x + "#a.kind/b/x").c_str());
  expect(by_url->_is_equivalent(a), "corbaname");

  root->unbind(name("a.kind/b"));
  expect(resolving("a.kind/b") == "0 b", "unbind");
  a->destroy();
  try {
    CORBA::Object_var(root->resolve(name("a.kind/q/r")));
    expect(false, "resolve through a destroyed context");
  } catch (const NamingContext::CannotProceed& e) {
    const CORBA::String_var left = root->to_string(e.rest_of_name);
    expect(std::string(left.in()) == "q/r" && e.cxt->_is_equivalent(a), "CannotProceed");
  }
  root->unbind(name("a.kind"));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    call_service(orb, argv[1]);
    orb->destroy();
    std::printf("complete\n");
    return 0;
  } catch (const CORBA::Exception& e) {
    std::printf("%s\n", e._name());
    return 1;
  }
}
