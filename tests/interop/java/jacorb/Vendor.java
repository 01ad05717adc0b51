import java.util.Properties;

/** What JacORB needs. */
final class Vendor {
  static final String NAME = "jacorb";
  /** The property of the port at which a server listens. */
  static final String PORT = "OAPort";
  static final boolean HAS_SINGLE_THREAD_MODEL = true;
  static final boolean SENDS_TRUNCATABLE_VALUES = true;
  /** It does not skip the end tag of a value box in a value that is sent in chunks. */
  static final boolean READS_BOXES_IN_VALUES = false;

  private Vendor() {}

  /** Of an ORB on the loopback interface, whose calls wait so long for a reply; 0: without limit. */
  static Properties properties(String giop, int replyTimeoutMs) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("OAIAddr", "127.0.0.1");
    properties.put("jacorb.giop_minor_version", giop.substring(2));
    properties.put("jacorb.native_char_codeset", "UTF8");
    properties.put("jacorb.log.default.verbosity", "0");
    // A full queue of requests makes clients wait; by default JacORB drops their requests.
    properties.put("jacorb.poa.queue_wait", "on");
    properties.put("jacorb.connection.client.pending_reply_timeout", Integer.toString(replyTimeoutMs));
    return properties;
  }

  /** Called in each thread before it sends. */
  static void prepareThread() {}
}
