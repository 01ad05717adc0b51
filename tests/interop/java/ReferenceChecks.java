import Interop.Counter;
import Interop.CounterHelper;
import Interop.NamedHelper;
import Interop.Workshop;
import Interop.WorkshopHelper;
import InteropTypes.TypesHelper;

/** References: narrowing, passing, nil, calls back to this client, and forwards. */
final class ReferenceChecks {
  private ReferenceChecks() {}

  static void add(Checks checks, Peer peer) {
    checks.group("references");
    checks.add("are_narrowed", () -> {
      Checks.that(peer.workshop._is_a("IDL:Interop/Workshop:1.0"), "no workshop");
      Checks.that(peer.workshop._is_a("IDL:Interop/Counter:1.0"), "no counter");
      Checks.that(peer.workshop._is_a("IDL:omg.org/CORBA/Object:1.0"), "no object");
      Checks.that(!peer.workshop._is_a("IDL:Interop/Elsewhere:1.0"), "of another type, too");
      Checks.that(!peer.workshop._non_existent(), "the object does not exist");
      Checks.raises(org.omg.CORBA.BAD_PARAM.class, () -> TypesHelper.narrow(peer.workshop));
    });
    checks.add("of_corbalocs_are_resolved", () -> {
      Workshop same = WorkshopHelper.narrow(peer.orb.string_to_object(peer.corbaloc));
      peer.workshop.value(4711);
      Checks.same(4711, same.value());
    });
    checks.add("of_base_interfaces_are_called", () -> {
      Counter counter = CounterHelper.narrow(peer.orb.string_to_object(peer.ior));
      counter.value(40);
      Checks.same(42, counter.add(2));
    });
    checks.add("of_objects_that_do_not_exist_are_reported", () -> {
      String elsewhere = peer.corbaloc.substring(0, peer.corbaloc.indexOf('/') + 1) + "nothing/here";
      Workshop missing = WorkshopHelper.unchecked_narrow(peer.orb.string_to_object(elsewhere));
      Checks.raises(org.omg.CORBA.OBJECT_NOT_EXIST.class, missing::value);
    });
    checks.add("are_passed", () -> {
      Checks.that(peer.workshop.itself()._is_equivalent(peer.workshop), "itself() is another object");
      Workshop branch = peer.workshop.open_branch("branch");
      Checks.same("branch", branch.name());
      Checks.same("branch", branch.as_named().name());
      Checks.same("branch", WorkshopHelper.narrow(branch.as_object()).name());
    });
    checks.add("to_nothing_are_passed", () -> {
      Checks.same(null, peer.workshop.none());
      Checks.that(peer.workshop.is_nil_object(null), "nil has become an object");
      Checks.that(!peer.workshop.is_nil_object(peer.workshop), "an object has become nil");
      new Passing(checks, peer).passes("pass_object", null, peer.workshop);
    });
    checks.add("to_objects_of_the_client_are_called_back", () -> {
      Checks.same("peer", peer.workshop.name_of(peer.workshop));
      Checks.same("here", peer.workshop.name_of(NamedHelper.narrow(here(peer))));
      Checks.same("here", NamedHelper.narrow(returned(peer, here(peer))).name());
    });

    checks.group("forwards");
    checks.add("are_followed", () -> {
      Checks.same("peer", peer.workshop.moved().name());
      Workshop moved = peer.workshop.moved();
      org.omg.CORBA.IntHolder remainder = new org.omg.CORBA.IntHolder();
      Checks.raises(Interop.Refused.class, () -> moved.divide(1, 0, remainder));
      Checks.same(3, moved.divide(17, 5, remainder));
      Checks.same(2, remainder.value);
    });
    checks.add("are_followed_by_large_requests", () -> {
      byte[] data = CallChecks.octets(3_000_000);
      Checks.same(data, peer.workshop.moved().echo_octets(data));
    });
  }

  /** A workshop of this process, named "here". */
  private static org.omg.CORBA.Object here(Peer peer) throws org.omg.CORBA.UserException {
    return Orbs.rootPoa(peer.orb).servant_to_reference(
        new WorkshopServant("here", null));
  }

  private static org.omg.CORBA.Object returned(Peer peer, org.omg.CORBA.Object object) {
    return peer.types.pass_object(object, new org.omg.CORBA.ObjectHolder(), new org.omg.CORBA.ObjectHolder());
  }
}
