import java.util.ArrayList;
import java.util.List;

/**
 * Client PEER IOR CORBALOC [GROUP…]: calls the workshop of the server PEER (the name of its ORB), and runs
 * these groups of checks, or all. Client --list: prints the names of the groups. Exit status 1 if a check
 * failed.
 */
public final class Client {
  private Client() {}

  public static void main(String[] words) throws Exception {
    Checks checks = new Checks();
    Peer peer = new Peer();
    ReferenceChecks.add(checks, peer);
    BasicChecks.add(checks, peer);
    StringChecks.add(checks, peer);
    StructChecks.add(checks, peer);
    UnionChecks.add(checks, peer);
    AnyChecks.add(checks, peer);
    CallChecks.add(checks, peer);
    if (words.length == 1 && words[0].equals("--list")) {
      for (String group : checks.groups()) System.out.println(group);
      return;
    }
    peer.connect(words[0], words[1], words[2]);
    List<String> groups = new ArrayList<>(List.of(words).subList(3, words.length));
    if (groups.isEmpty()) checks.groups().forEach(groups::add);
    int failed = checks.run(groups, new KnownFaults(peer.name));
    System.out.println(failed + " failed");
    Runtime.getRuntime().halt(failed == 0 ? 0 : 1);  // without waiting for threads of the ORB
  }
}
