import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.ImplicitActivationPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.ThreadPolicyValue;

/**
 * Makes ORBs for the tests, of the vendor of the class path (Vendor), with active POA managers. The
 * environment variable INTEROP_GIOP selects the version of GIOP of references and requests: 1.0, 1.1 or 1.2,
 * the default.
 */
final class Orbs {
  static final String GIOP = System.getenv().getOrDefault("INTEROP_GIOP", "1.2");

  private Orbs() {}

  /** An ORB of a server, which listens at this port of the loopback interface, and forwards (Forwards). */
  static ORB createServer(int port) throws UserException {
    Properties properties = Vendor.properties(GIOP, 0);
    properties.put(Vendor.PORT, Integer.toString(port));
    properties.put("org.omg.PortableInterceptor.ORBInitializerClass.Forwards", "");
    return create(properties);
  }

  /** An ORB of a client, which listens at any port of the loopback interface. */
  static ORB createClient() throws UserException {
    return createClient(0);
  }

  /** Its calls end with an exception if a reply has not arrived after this time; 0: without limit. */
  static ORB createClient(int replyTimeoutMs) throws UserException {
    return create(Vendor.properties(GIOP, replyTimeoutMs));
  }

  private static ORB create(Properties properties) throws UserException {
    Vendor.prepareThread();
    ORB orb = ORB.init(new String[0], properties);
    rootPoa(orb).the_POAManager().activate();
    return orb;
  }

  static POA rootPoa(ORB orb) throws UserException {
    return POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
  }

  /** A child of the root POA that activates servants implicitly, with one thread if the ORB has that. */
  static POA singleThreadPoa(ORB orb, String name) throws UserException {
    POA root = rootPoa(orb);
    Policy implicit =
        root.create_implicit_activation_policy(ImplicitActivationPolicyValue.IMPLICIT_ACTIVATION);
    Policy[] policies = Vendor.HAS_SINGLE_THREAD_MODEL
        ? new Policy[] {implicit, root.create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL)}
        : new Policy[] {implicit};
    return root.create_POA(name, root.the_POAManager(), policies);
  }
}
