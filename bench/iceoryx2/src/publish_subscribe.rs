//! An exchange over two publish-subscribe services, one for requests and one for replies.

use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;

use crate::Failure;

/// The fields are dropped in this order.
pub struct PublishSubscribe {
    publisher: Publisher<ipc::Service, [u8], ()>,
    subscriber: Subscriber<ipc::Service, [u8], ()>,
}

impl PublishSubscribe {
    pub fn open(
        node: &Node<ipc::Service>,
        folder: &str,
        largest: usize,
        serves: bool,
    ) -> Result<PublishSubscribe, Failure> {
        let service = |name: &str| -> Result<_, Failure> {
            Ok(node
                .service_builder(&format!("{folder}/{name}").as_str().try_into()?)
                .publish_subscribe::<[u8]>()
                .max_publishers(1)
                .max_subscribers(1)
                .open_or_create()?)
        };
        let (to, from) = if serves { ("reply", "request") } else { ("request", "reply") };
        Ok(PublishSubscribe {
            subscriber: service(from)?.subscriber_builder().create()?,
            publisher: service(to)?.publisher_builder().initial_max_slice_len(largest).create()?,
        })
    }

    pub fn send(&self, bytes: &[u8]) -> Result<(), Failure> {
        let sample = self.publisher.loan_slice_uninit(bytes.len())?;
        sample.write_from_slice(bytes).send()?;
        Ok(())
    }

    pub fn receive(&self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            if let Some(sample) = self.subscriber.receive()? {
                let bytes = sample.payload();
                buffer[..bytes.len()].copy_from_slice(bytes);
                return Ok(bytes.len());
            }
        }
    }
}
