import Interop.Workshop;
import Interop.WorkshopHelper;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.POA;

/** The POAs of workshops: of those that servants make, and of those that have moved. */
final class Workshops {
  final ORB orb;
  private final POA branches;
  private final POA moved;
  private final AtomicInteger last = new AtomicInteger();

  Workshops(ORB orb) throws UserException {
    this.orb = orb;
    branches = Orbs.singleThreadPoa(orb, "branches");
    POA root = Orbs.rootPoa(orb);
    moved = root.create_POA("moved", root.the_POAManager(),
        new Policy[] {root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)});
  }

  /** A new workshop. One thread calls it, in the order of the requests. */
  Workshop branch(String name) {
    try {
      return WorkshopHelper.narrow(branches.servant_to_reference(new WorkshopServant(name, this)));
    } catch (UserException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A new object; requests of it are forwarded to `target`. */
  Workshop moved(Workshop target) {
    String id = "moved " + last.incrementAndGet();
    Forwards.add(id, target);
    try {
      byte[] octets = id.getBytes(StandardCharsets.ISO_8859_1);
      moved.activate_object_with_id(octets, new WorkshopServant("moved", this));
      return WorkshopHelper.unchecked_narrow(moved.id_to_reference(octets));
    } catch (UserException e) {
      throw new IllegalStateException(e);
    }
  }
}
