import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;

/**
 * Serves a workshop named "peer" at the port that is the first argument. Prints its IOR, then a corbaloc of
 * the same object, and serves until it is killed.
 */
public final class Server {
  private Server() {}

  public static void main(String[] words) throws Exception {
    int port = Integer.parseInt(words[0]);
    ORB orb = Orbs.createServer(port);
    POA root = Orbs.rootPoa(orb);
    Workshops workshops = new Workshops(orb);
    String ior = orb.object_to_string(root.servant_to_reference(new WorkshopServant("peer", workshops)));
    System.out.println(ior);
    System.out.println(Iors.corbaloc(ior, port));
    orb.run();
  }
}
