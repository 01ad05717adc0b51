//! One end of an exchange over two iceoryx2 services, one for requests and one for replies. Bytes are copied
//! into a loaned sample and sent; the receiver polls without sleeping and copies them out. `../channel.h` is
//! the C++ interface.

use core::ffi::{c_char, CStr};
use core::slice;

use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// One end of an exchange. The fields are dropped in this order: ports before their node.
pub struct Channel {
    publisher: Publisher<ipc::Service, [u8], ()>,
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    _node: Node<ipc::Service>,
}

impl Channel {
    /// Opens one end. `folder` is used by this exchange only: its name identifies the services, and iceoryx2
    /// places its files in it.
    fn open(folder: &str, largest: usize, serves: bool) -> Result<Channel, Failure> {
        set_log_level(LogLevel::Error);
        let mut config = Config::default();
        config.global.set_root_path(&folder.try_into()?);
        let node = NodeBuilder::new().config(&config).create::<ipc::Service>()?;
        let service = |name: &str| -> Result<_, Failure> {
            Ok(node
                .service_builder(&format!("{folder}/{name}").as_str().try_into()?)
                .publish_subscribe::<[u8]>()
                .max_publishers(1)
                .max_subscribers(1)
                .open_or_create()?)
        };
        let (to, from) = if serves { ("reply", "request") } else { ("request", "reply") };
        Ok(Channel {
            subscriber: service(from)?.subscriber_builder().create()?,
            publisher: service(to)?.publisher_builder().initial_max_slice_len(largest).create()?,
            _node: node,
        })
    }

    fn send(&self, bytes: &[u8]) -> Result<(), Failure> {
        let sample = self.publisher.loan_slice_uninit(bytes.len())?;
        sample.write_from_slice(bytes).send()?;
        Ok(())
    }

    fn receive(&self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            if let Some(sample) = self.subscriber.receive()? {
                let bytes = sample.payload();
                buffer[..bytes.len()].copy_from_slice(bytes);
                return Ok(bytes.len());
            }
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
) -> *mut Channel {
    let folder = unsafe { CStr::from_ptr(folder) };
    let opened = folder
        .to_str()
        .map_err(Into::into)
        .and_then(|folder| Channel::open(folder, largest, serves));
    Box::into_raw(Box::new(or_end(opened)))
}

/// # Safety
/// `channel` is open, and `data` points to `bytes` bytes.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_send(channel: *const Channel, data: *const u8, bytes: usize) {
    let (channel, data) = unsafe { (&*channel, slice::from_raw_parts(data, bytes)) };
    or_end(channel.send(data));
}

/// # Safety
/// `channel` is open, and `data` points to `capacity` writable bytes, enough for the largest message.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_receive(
    channel: *const Channel,
    data: *mut u8,
    capacity: usize,
) -> usize {
    let (channel, data) = unsafe { (&*channel, slice::from_raw_parts_mut(data, capacity)) };
    or_end(channel.receive(data))
}

/// # Safety
/// `channel` was opened, and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn bench_channel_close(channel: *mut Channel) {
    drop(unsafe { Box::from_raw(channel) });
}
