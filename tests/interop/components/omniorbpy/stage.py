"""A component of SCA 2.2.2 on omniORBpy: passes packets of its port `in` to its port `out`, unchanged."""
import os
import sys
import threading
import time

from omniORB import CORBA, PortableServer, any as corba_any
import CosNaming

import CF
import CF__POA
import orbweaver.stream as stream
import orbweaver__POA.stream as stream_servants

KNOWN = ("NAMING_CONTEXT_IOR", "NAME_BINDING", "COMPONENT_IDENTIFIER", "generate", "stays")
LARGEST_GAP = 4096  # a jump of this size or more is not a loss (Stream.idl)


def stream_id_of(connection_id):
    """StreamHeader.stream_id: FNV-1a, 64 bits, of the connection id."""
    value = 0xCBF29CE484222325
    for octet in connection_id.encode():
        value = ((value ^ octet) * 0x100000001B3) % (1 << 64)
    return value


def bucket_of(ns):
    """The bucket of LatencyBuckets that counts `ns`: eight for each power of two."""
    if ns < 8:
        return ns
    power = max(0, ns.bit_length() - 4)
    return 8 * (power + 1) + (ns >> power) - 8


class StreamCounter:
    """Counts what one connection has received."""

    def __init__(self, stream_id):
        self.stream_id = stream_id
        self.next_number = 0  # above the highest one received
        self.packets = self.octets = self.lost = self.reordered = 0
        self.first_ns = self.last_ns = self.max_latency_ns = 0
        self.latency = []
        self.ended = False

    def see(self, header, samples):
        number = header.sequence_number
        if number < self.next_number:
            self.reordered += 1
            self.lost = max(0, self.lost - 1)
        else:
            if number - self.next_number < LARGEST_GAP:
                self.lost += number - self.next_number
            self.next_number = number + 1
        self.ended = self.ended or bool(header.flags & stream.END_OF_STREAM)
        if self.ended and not samples:
            return  # the packet that ends a stream counts only if it has samples
        self.last_ns = time.monotonic_ns()
        self.first_ns = self.first_ns or self.last_ns
        self.packets += 1
        self.octets += 4 * len(samples)
        latency = max(0, self.last_ns - header.sent_ns)
        self.max_latency_ns = max(self.max_latency_ns, latency)
        bucket = bucket_of(latency)
        self.latency += [0] * (bucket + 1 - len(self.latency))
        self.latency[bucket] += 1

    def statistics(self):
        return stream.StreamStatistics(
            self.stream_id, self.packets, self.octets, self.lost, self.reordered, self.first_ns,
            self.last_ns, self.max_latency_ns, list(self.latency), self.ended)


class StreamInput(stream_servants.FloatInput):
    """Receives a stream: calls the handler on the thread of the request. A sender waits meanwhile, and while
    the component is not started."""

    def __init__(self, handler, metadata_handler, at_end):
        self.handler, self.metadata_handler, self.at_end = handler, metadata_handler, at_end
        self.handling = threading.Lock()  # one packet at a time; senders have threads of their own
        self.changed = threading.Condition()  # guards the following
        self.started = self.closed = False
        self.streams = {}

    def pushPacket(self, header, samples):
        with self.handling:
            with self.changed:
                self.changed.wait_for(lambda: self.started or self.closed)
                if self.closed:
                    return
                counter = self.streams.setdefault(header.stream_id, StreamCounter(header.stream_id))
                counter.see(header, samples)
                end = bool(header.flags & stream.END_OF_STREAM)
                end = end and all(each.ended for each in self.streams.values())
            if samples:
                self.handler(samples, header.sample_rate_hz)
            if end:
                self.at_end()

    def pushMetadata(self, stream_id, metadata):
        with self.handling:
            self.metadata_handler(metadata)

    def _get_statistics(self):
        with self.changed:  # there is no queue, and the thread is the ORB's
            return stream.InputStatistics(0, 0, 0, 0, [each.statistics() for each in self.streams.values()])

    def _get_copied_bytes(self):
        return 0

    def set(self, started=False, closed=False):
        """Lets packets be handled, or wait; or be ignored from now on."""
        with self.changed:
            self.started, self.closed = started, self.closed or closed
            self.changed.notify_all()


class StreamOutput(CF__POA.Port):
    """Sends a stream to every connected input."""

    def __init__(self):
        self.lock = threading.Lock()
        self.connections = {}  # id: [input, next sequence number]

    def connectPort(self, connection, connectionId):
        receiver = connection._narrow(stream.FloatInput) if connection is not None else None
        if receiver is None:
            raise CF.Port.InvalidPort(1, "it is not a FloatInput")
        with self.lock:
            if connectionId in self.connections:
                raise CF.Port.InvalidPort(2, "the connection exists already")
            self.connections[connectionId] = [receiver, 0]

    def disconnectPort(self, connectionId):
        with self.lock:
            if self.connections.pop(connectionId, None) is None:
                raise CF.Port.InvalidPort(3, "there is no such connection")

    def send(self, samples, sample_rate_hz, flags=0):
        with self.lock:
            connections = list(self.connections.items())
        for connection_id, connection in connections:
            header = stream.StreamHeader(stream_id_of(connection_id), connection[1], time.monotonic_ns(),
                                         sample_rate_hz, flags)
            connection[1] += 1
            try:
                connection[0].pushPacket(header, samples)
            except CORBA.SystemException as error:
                print("connection '%s' is broken: %s" % (connection_id, error), flush=True)
                with self.lock:
                    self.connections.pop(connection_id, None)


    def send_metadata(self, metadata):
        """Sends the metadata of the following packets."""
        with self.lock:
            connections = list(self.connections.items())
        for connection_id, connection in connections:
            try:
                connection[0].pushMetadata(stream_id_of(connection_id), metadata)
            except CORBA.SystemException:
                pass  # the next packet reports it


class Stage(CF__POA.Resource):
    def __init__(self, identifier, orb, poa):
        self.component_id, self.orb, self.poa = identifier, orb, poa
        self.output = StreamOutput()
        self.input = StreamInput(self.output.send, self.output.send_metadata,
                                 lambda: self.output.send([], 0.0, stream.END_OF_STREAM))
        self.lock = threading.Lock()
        # Values and type codes of the properties of kind configure (stage.prf.xml).
        self.types = {"level": CORBA.TC_float, "offset": CORBA.TC_long, "enabled": CORBA.TC_boolean,
                      "label": CORBA.TC_string}
        self.values = {"level": 0.0, "offset": 0, "enabled": False, "label": ""}

    def _get_identifier(self):
        return self.component_id

    def initialize(self):
        for port in (self.input, self.output):
            self.poa.activate_object(port)

    def getPort(self, name):
        ports = {"in": self.input, "out": self.output}
        if name not in ports:
            raise CF.PortSupplier.UnknownPort()
        return self.poa.servant_to_reference(ports[name])

    def configure(self, properties):
        valid = [each for each in properties
                 if each.id in self.types and each.value.typecode().equal(self.types[each.id])]
        with self.lock:
            for each in valid:
                self.values[each.id] = each.value.value()
        invalid = [each for each in properties if each not in valid]
        if invalid and valid:
            raise CF.PropertySet.PartialConfiguration(invalid)
        if invalid:
            raise CF.PropertySet.InvalidConfiguration("no such property, or of another type", invalid)

    def query(self, properties):
        properties = properties or [CF.DataType(id, corba_any.to_any(None)) for id in self.types]
        unknown = [each for each in properties if each.id not in self.types]
        if unknown:
            raise CF.UnknownProperties(unknown)
        with self.lock:
            return [CF.DataType(each.id, CORBA.Any(self.types[each.id], self.values[each.id]))
                    for each in properties]

    def runTest(self, testid, testValues):
        raise CF.TestableObject.UnknownTest()

    def start(self):
        with self.lock:
            print("level %g, offset %d, enabled %d, label '%s'" % tuple(self.values.values()), flush=True)
        self.input.set(started=True)

    def stop(self):
        self.input.set(started=False)

    def releaseObject(self):
        self.input.set(closed=True)
        for servant in (self.input, self.output, self):
            self.poa.deactivate_object(self.poa.servant_to_id(servant))
        self.orb.shutdown(False)


def main():
    # One-way calls keep their order only if each connection has one thread, and each receiver one connection.
    options = {"endPoint": "giop:tcp:127.0.0.1:", "threadPerConnectionPolicy": "1",
               "maxServerThreadPerConnection": "1", "maxGIOPConnectionPerServer": "1",
               "giopMaxMsgSize": "67108864"}
    words = [sys.argv[0]] + [word for name, value in options.items() for word in ("-ORB" + name, value)]
    orb = CORBA.ORB_init(words, CORBA.ORB_ID)
    # The core framework gives the exec params of the standard and those of the PRF, and no others.
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    unknown = [each for each in arguments if each not in KNOWN]
    if unknown or len(sys.argv) % 2 == 0:
        sys.exit("unknown exec params: %s" % unknown)
    poa = orb.resolve_initial_references("RootPOA")
    poa._get_the_POAManager().activate()
    stage = Stage(arguments["COMPONENT_IDENTIFIER"], orb, poa)
    reference = poa.id_to_reference(poa.activate_object(stage))
    naming = orb.string_to_object(arguments["NAMING_CONTEXT_IOR"])._narrow(CosNaming.NamingContext)
    naming.bind([CosNaming.NameComponent(arguments["NAME_BINDING"], "")], reference)
    orb.run()  # until releaseObject()
    orb.destroy()
    # Not by sys.exit: before Python 3.13, a thread of the ORB that is still ending aborts the process when it
    # needs the interpreter, which is being finalised.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
