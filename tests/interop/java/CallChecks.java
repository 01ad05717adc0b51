import Interop.Busy;
import Interop.NamedHelper;
import Interop.NamedPOA;
import Interop.Point;
import Interop.Refused;
import Interop.Workshop;
import Interop.WorkshopHelper;
import InteropTypes.TypesHelper;
import InteropTypes.Wrong;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.omg.CORBA.Any;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.SystemException;

/** Calls: parameters, exceptions, one-ways, time-outs, concurrency and large messages. */
final class CallChecks {
  private CallChecks() {}

  static byte[] octets(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; ++i) data[i] = (byte) (i % 251);
    return data;
  }

  static void add(Checks checks, Peer peer) {
    checks.group("calls");
    checks.add("read_and_write_attributes", () -> {
      Checks.same("peer", peer.workshop.name());
      peer.workshop.value(-7);
      Checks.same(-7, peer.workshop.value());
    });
    checks.add("return_out_and_inout_parameters", () -> outAndInout(peer.workshop));
    checks.add("keep_the_order_of_one_ways", () -> oneWays(peer));
    checks.add("of_several_threads_are_served", () -> concurrent(peer));
    checks.add("end_at_a_time_out", () -> timeOut(peer));

    checks.group("exceptions");
    checks.add("of_users_have_their_members", () -> {
      Refused refused = Checks.raises(Refused.class, () -> peer.workshop.divide(5, 0, new IntHolder()));
      Checks.same("division by zero", refused.reason);
      Checks.same(5, refused.code);
      Checks.same(new double[] {5}, refused.evidence);
      Checks.raises(Busy.class, peer.workshop::be_busy);
      Checks.raises(Refused.class, () -> peer.workshop.refuse("no", 1));
    });
    checks.add("have_members_of_every_kind", () -> {
      Any more = peer.orb.create_any();
      InteropTypes.OuterHelper.insert(more, Samples.outer(3));
      Wrong wrong = Checks.raises(Wrong.class,
          () -> peer.types.raise_wrong(Samples.basics(3), Samples.term(), Samples.arrays(1), more));
      Checks.same(Samples.basics(3), wrong.all);
      Checks.same(Samples.term(), wrong.why);
      Checks.same(Samples.arrays(1), wrong.where);
      Checks.same(Samples.outer(3), InteropTypes.OuterHelper.extract(wrong.more));
      Checks.same(5L, wrong.raised_by.sum_of_octets(new byte[] {2, 3}));
    });
    checks.add("of_the_system_have_minor_codes", () -> {
      org.omg.CORBA.BAD_PARAM problem = Checks.raises(org.omg.CORBA.BAD_PARAM.class,
          () -> peer.workshop.raise_bad_param(0x4f570123));
      Checks.same(0x4f570123, problem.minor);
      Checks.same(CompletionStatus.COMPLETED_YES, problem.completed);
    });
    checks.add("that_are_none_of_corba_are_unknown",
        () -> Checks.raises(org.omg.CORBA.UNKNOWN.class, peer.workshop::raise_something_else));
    checks.add("report_unknown_operations", () -> Checks.raises(org.omg.CORBA.BAD_OPERATION.class,
        () -> TypesHelper.unchecked_narrow(peer.workshop).sum_of_octets(new byte[0])));

    checks.group("large");
    checks.add("octets", () -> {
      byte[] data = octets(5_000_003);
      Checks.same(data, peer.workshop.echo_octets(data));
    });
    checks.add("doubles", () -> {
      for (int length : new int[] {0, 1, 2, 1000, 1024, 80_000, 400_000}) {
        double[] sent = new double[length];
        for (int i = 0; i < length; ++i) sent[i] = i / 7.0;
        Checks.same(sent, peer.workshop.echo_doubles(sent));
      }
    });
    checks.add("strings", () -> {
      String[] sent = new String[50_000];
      for (int i = 0; i < sent.length; ++i) sent[i] = "x".repeat(i % 23);
      Checks.same(sent, peer.workshop.echo_names(sent));
    });
    checks.add("structs", () -> new Passing(checks, peer).pass("pass_many_basics", Samples.manyBasics(20_000),
        Samples.manyBasics(1)));

    // In one direction each, with 64 MiB.
    checks.group("huge");
    checks.add("requests", () -> {
      byte[] data = octets(64 << 20);
      long sum = 0;
      for (byte octet : data) sum += octet & 0xff;
      Checks.same(sum, peer.types.sum_of_octets(data));
    });
    checks.add("replies", () -> Checks.same(octets(64 << 20), peer.types.octets_of(64 << 20)));
  }

  private static void outAndInout(Workshop workshop) throws Exception {
    IntHolder remainder = new IntHolder();
    Checks.same(4, workshop.divide(47, 10, remainder));
    Checks.same(7, remainder.value);
    StringHolder left = new StringHolder("left");
    StringHolder right = new StringHolder("the right one");
    StringHolder together = new StringHolder();
    workshop.exchange(left, right, together);
    Checks.same("the right one", left.value);
    Checks.same("left", right.value);
    Checks.same("leftthe right one", together.value);
    IntHolder points = new IntHolder(100);
    Point[] mirrored = workshop.mirror(new Point[] {new Point(1, 2), new Point(3, 4)}, points);
    Checks.same(102, points.value);
    Checks.same(new Point(4, 3), mirrored[1]);
  }

  private static void oneWays(Peer peer) {
    Workshop fresh = peer.workshop.open_branch("notes");
    String[] sent = new String[500];
    for (int i = 0; i < sent.length; ++i) fresh.note(sent[i] = "note " + i);
    String[] seen = {};
    for (int i = 0; i < 500 && seen.length < sent.length; ++i) seen = fresh.notes();
    Checks.same(sent, seen);
  }

  private static void concurrent(Peer peer) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 8; ++t) {
        int thread = t;
        running.add(threads.submit(() -> {
          for (int i = 0; i < 100; ++i) {
            String text = thread + " " + "t".repeat(i * thread);
            Checks.same(text, peer.workshop.echo_string(text));
          }
        }));
      }
      for (Future<?> each : running) each.get();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Its attribute is read when the gate is open. */
  private static final class Gate extends NamedPOA {
    final CountDownLatch open = new CountDownLatch(1);

    @Override
    public String name() {
      try {
        open.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return "open";
    }
  }

  private static void timeOut(Peer peer) throws Exception {
    ORB limited = Orbs.createClient(300);
    Gate gate = new Gate();
    org.omg.CORBA.Object waits = Orbs.rootPoa(peer.orb).servant_to_reference(gate);
    Workshop workshop = WorkshopHelper.unchecked_narrow(limited.string_to_object(peer.ior));
    org.omg.CORBA.Object there = limited.string_to_object(peer.orb.object_to_string(waits));
    try {
      Checks.raises(SystemException.class, () -> workshop.name_of(NamedHelper.unchecked_narrow(there)));
    } finally {
      gate.open.countDown();
    }
    // The late reply belongs to no later call.
    String found = null;
    for (int attempts = 0; found == null && attempts < 100; ++attempts) {
      try {
        found = workshop.name();
      } catch (SystemException again) {
        continue;  // the machine is slow
      }
    }
    Checks.same("peer", found);
    Checks.same("open", peer.workshop.name_of(NamedHelper.unchecked_narrow(waits)));
  }
}
