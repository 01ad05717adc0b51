/** Reads and changes the first IIOP profile of a stringified reference. */
final class Iors {
  private final String text;
  private final byte[] data;
  private int base;  // of the encapsulation that is read
  private int at;
  private boolean little;

  private Iors(String ior) {
    text = ior;
    data = new byte[(ior.length() - 4) / 2];  // after "IOR:"
    for (int i = 0; i < data.length; ++i)
      data[i] = (byte) Integer.parseInt(ior.substring(4 + 2 * i, 6 + 2 * i), 16);
    findProfile();
  }

  /** "corbaloc:iiop:1.2@127.0.0.1:PORT/KEY" with the object key of the reference. */
  static String corbaloc(String ior, int port) {
    return "corbaloc:iiop:" + Orbs.GIOP + "@127.0.0.1:" + port + "/" + new Iors(ior).escapedKey();
  }

  /** The reference with this minor version of GIOP 1 in its profile: clients send no later version. */
  static String withMinorVersion(String ior, int minor) {
    Iors read = new Iors(ior);
    int digits = 4 + 2 * (read.at + 1);
    return ior.substring(0, digits) + String.format("%02x", minor) + ior.substring(digits + 2);
  }

  /** Goes to the version of the first IIOP profile. */
  private void findProfile() {
    beginEncapsulation(0);
    skipOctets();  // repository id
    for (int left = readUlong(); left > 0; --left) {
      int tag = readUlong();
      int length = readUlong();
      if (tag == 0) {
        beginEncapsulation(at);
        return;
      }
      at += length;
    }
    throw new IllegalArgumentException("no IIOP profile in " + text);
  }

  private String escapedKey() {
    at += 2;  // version
    skipOctets();  // host
    align(2);
    at += 2;  // port
    int length = readUlong();
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < length; ++i) key.append(String.format("%%%02x", data[at + i] & 0xff));
    return key.toString();
  }

  private void beginEncapsulation(int where) {
    base = where;
    little = data[base] != 0;
    at = base + 1;
  }

  private void align(int size) {
    at = base + (at - base + size - 1) / size * size;
  }

  private int readUlong() {
    align(4);
    int value = 0;
    for (int i = 0; i < 4; ++i) value |= (data[at + i] & 0xff) << (little ? 8 * i : 24 - 8 * i);
    at += 4;
    return value;
  }

  private void skipOctets() {
    int length = readUlong();
    at += length;
  }
}
