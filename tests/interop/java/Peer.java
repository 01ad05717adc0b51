import Interop.Workshop;
import Interop.WorkshopHelper;
import InteropTypes.Types;
import InteropTypes.TypesHelper;
import org.omg.CORBA.ORB;
import org.omg.CORBA.UserException;

/** The server that the checks call. */
final class Peer {
  String name;
  String ior;
  String corbaloc;
  ORB orb;
  Workshop workshop;
  Types types;

  void connect(String name, String ior, String corbaloc) throws UserException {
    this.name = name;
    this.ior = ior;
    this.corbaloc = corbaloc;
    orb = Orbs.createClient();
    workshop = WorkshopHelper.narrow(inVersion(orb.string_to_object(ior)));
    types = TypesHelper.narrow(inVersion(workshop.types()));
  }

  /** The reference for requests of the version of Orbs.GIOP. */
  private org.omg.CORBA.Object inVersion(org.omg.CORBA.Object reference) {
    int minor = Integer.parseInt(Orbs.GIOP.substring(2));
    return orb.string_to_object(Iors.withMinorVersion(orb.object_to_string(reference), minor));
  }
}
