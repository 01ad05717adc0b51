//! One end of an exchange over iceoryx2, by publish-subscribe or by request-response. Bytes are copied into
//! loaned memory and sent; the receiver polls without sleeping and copies them out. `../channel.h` is the C++
//! interface.

mod publish_subscribe;
mod request_response;

use core::ffi::{c_char, CStr};
use core::slice;

use iceoryx2::prelude::*;
use publish_subscribe::PublishSubscribe;
use request_response::{Caller, Responder};

type Failure = Box<dyn std::error::Error>;

enum Ports {
    PublishSubscribe(PublishSubscribe),
    Caller(Caller),
    Responder(Responder),
}

/// One end of an exchange. The fields are dropped in this order: ports before their node.
pub struct Channel {
    ports: Ports,
    _node: Node<ipc::Service>,
}

impl Channel {
    /// Opens one end. `folder` is used by this exchange only: its name identifies the services, and iceoryx2
    /// places its files in it.
    fn open(folder: &str, largest: usize, serves: bool, requests: bool) -> Result<Channel, Failure> {
        set_log_level(LogLevel::Error);
        let mut config = Config::default();
        config.global.set_root_path(&folder.try_into()?);
        let node = NodeBuilder::new().config(&config).create::<ipc::Service>()?;
        let ports = match (requests, serves) {
            (false, _) => {
                Ports::PublishSubscribe(PublishSubscribe::open(&node, folder, largest, serves)?)
            }
            (true, false) => Ports::Caller(Caller::open(&node, folder, largest)?),
            (true, true) => Ports::Responder(Responder::open(&node, folder, largest)?),
        };
        Ok(Channel { ports, _node: node })
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.ports {
            Ports::PublishSubscribe(ports) => ports.send(bytes),
            Ports::Caller(ports) => ports.send(bytes),
            Ports::Responder(ports) => ports.send(bytes),
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        match &mut self.ports {
            Ports::PublishSubscribe(ports) => ports.receive(buffer),
            Ports::Caller(ports) => ports.receive(buffer),
            Ports::Responder(ports) => ports.receive(buffer),
        }
    }
}

fn or_end<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|problem| {
        eprintln!("iceoryx2: {problem}");
        std::process::exit(1);
    })
}

/// # Safety
/// `folder` is a null-terminated string.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_open(
    folder: *const c_char,
    largest: usize,
    serves: bool,
    requests: bool,
) -> *mut Channel {
    let folder = unsafe { CStr::from_ptr(folder) };
    let opened = folder
        .to_str()
        .map_err(Into::into)
        .and_then(|folder| Channel::open(folder, largest, serves, requests));
    Box::into_raw(Box::new(or_end(opened)))
}

/// # Safety
/// `channel` is open and used by one thread, and `data` points to `bytes` bytes.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_send(channel: *mut Channel, data: *const u8, bytes: usize) {
    let (channel, data) = unsafe { (&mut *channel, slice::from_raw_parts(data, bytes)) };
    or_end(channel.send(data));
}

/// # Safety
/// `channel` is open and used by one thread, and `data` points to `capacity` writable bytes, enough for the
/// largest message.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_receive(
    channel: *mut Channel,
    data: *mut u8,
    capacity: usize,
) -> usize {
    let (channel, data) = unsafe { (&mut *channel, slice::from_raw_parts_mut(data, capacity)) };
    or_end(channel.receive(data))
}

/// # Safety
/// `channel` was opened, and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_close(channel: *mut Channel) {
    drop(unsafe { Box::from_raw(channel) });
}
