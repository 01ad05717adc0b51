import com.sun.corba.ee.impl.encoding.CodeSetConversion;
import com.sun.corba.ee.impl.encoding.OSFCodeSetRegistry;
import java.lang.reflect.Method;
import java.util.Properties;

/** What GlassFish's ORB needs. */
final class Vendor {
  static final String NAME = "glassfish";
  /** The property of the port at which a server listens. */
  static final String PORT = "com.sun.corba.ee.ORBServerPort";
  static final boolean HAS_SINGLE_THREAD_MODEL = false;
  /** It sends the type of a value, but not the bases to which the value can be truncated. */
  static final boolean SENDS_TRUNCATABLE_VALUES = false;
  static final boolean READS_BOXES_IN_VALUES = true;

  private Vendor() {}

  /** Of an ORB on the loopback interface, whose calls wait so long for a reply; 0: without limit. */
  static Properties properties(String giop, int replyTimeoutMs) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "com.sun.corba.ee.impl.orb.ORBImpl");
    properties.put("com.sun.corba.ee.ORBServerHost", "127.0.0.1");
    properties.put("com.sun.corba.ee.giop.ORBGIOPVersion", giop);
    // UTF-8 first: otherwise strings with characters beyond ISO 8859-1 are rejected.
    properties.put("com.sun.corba.ee.codeset.charsets", "0x05010001,0x00010001,0x00010020");
    // By default it closes connections with messages or fragments of more than 256,000 bytes.
    properties.put("com.sun.corba.ee.transport.ORBMaximumReadByteBufferSize", "100000000");
    if (replyTimeoutMs != 0)
      properties.put("com.sun.corba.ee.transport.ORBWaitForResponseTimeout",
          Integer.toString(replyTimeoutMs));
    return properties;
  }

  /**
   * Called in each thread before it sends. If the first text that a thread encodes is an empty string, and
   * the second is a character, GlassFish's ORB 5.0 fails with an ArrayIndexOutOfBoundsException; therefore
   * each encoder of this thread first encodes another string.
   */
  static void prepareThread() {
    try {
      Method encoderOf = CodeSetConversion.class.getDeclaredMethod("getCTBConverter",
          OSFCodeSetRegistry.Entry.class, boolean.class, boolean.class);
      encoderOf.setAccessible(true);
      for (OSFCodeSetRegistry.Entry codeSet :
          new OSFCodeSetRegistry.Entry[] {OSFCodeSetRegistry.UTF_8, OSFCodeSetRegistry.ISO_8859_1}) {
        Object encoder = encoderOf.invoke(CodeSetConversion.impl(), codeSet, false, false);
        Method convert = encoder.getClass().getMethod("convert", String.class);
        convert.setAccessible(true);
        convert.invoke(encoder, "text");
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
