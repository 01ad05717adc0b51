import org.omg.CORBA.ORB;

/**
 * Serves an exchange of values at the port that is the first argument. Prints its IOR and a corbaloc, and
 * serves until it is killed.
 */
public final class ValuesServer {
  private ValuesServer() {}

  public static void main(String[] words) throws Exception {
    int port = Integer.parseInt(words[0]);
    ORB orb = Orbs.createServer(port);
    Values.registerFactories(orb);
    String ior = orb.object_to_string(
        Orbs.rootPoa(orb).servant_to_reference(new ExchangeServant(orb)));
    System.out.println(ior);
    System.out.println(Iors.corbaloc(ior, port));
    orb.run();
  }
}
