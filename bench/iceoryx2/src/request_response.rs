//! An exchange over one request-response service. The end that calls sends a request and receives its
//! response; the end that serves receives a request and sends its response.

use iceoryx2::active_request::ActiveRequest;
use iceoryx2::pending_response::PendingResponse;
use iceoryx2::port::client::Client;
use iceoryx2::port::server::Server;
use iceoryx2::prelude::*;

use crate::Failure;

type Ipc = ipc::Service;

/// The fields are dropped in this order.
pub struct Caller {
    /// Of the last request: dropped, a request is withdrawn.
    pending: Option<PendingResponse<Ipc, [u8], (), [u8], ()>>,
    client: Client<Ipc, [u8], (), [u8], ()>,
}

/// The fields are dropped in this order.
pub struct Responder {
    active: Option<ActiveRequest<Ipc, [u8], (), [u8], ()>>,
    server: Server<Ipc, [u8], (), [u8], ()>,
}

macro_rules! service {
    ($node:expr, $folder:expr) => {
        $node
            .service_builder(&format!("{}/call", $folder).as_str().try_into()?)
            .request_response::<[u8], [u8]>()
            .max_clients(1)
            .max_servers(1)
            .open_or_create()?
    };
}

impl Caller {
    pub fn open(node: &Node<Ipc>, folder: &str, largest: usize) -> Result<Caller, Failure> {
        let client =
            service!(node, folder).client_builder().initial_max_slice_len(largest).create()?;
        Ok(Caller { pending: None, client })
    }

    pub fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.pending = None;
        let request = self.client.loan_slice_uninit(bytes.len())?;
        self.pending = Some(request.write_from_slice(bytes).send()?);
        Ok(())
    }

    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        let pending = self.pending.as_ref().ok_or("there is no request")?;
        loop {
            if let Some(response) = pending.receive()? {
                let bytes = response.payload();
                buffer[..bytes.len()].copy_from_slice(bytes);
                return Ok(bytes.len());
            }
        }
    }
}

impl Responder {
    pub fn open(node: &Node<Ipc>, folder: &str, largest: usize) -> Result<Responder, Failure> {
        let server =
            service!(node, folder).server_builder().initial_max_slice_len(largest).create()?;
        Ok(Responder { active: None, server })
    }

    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            if let Some(request) = self.server.receive()? {
                let length = request.payload().len();
                buffer[..length].copy_from_slice(request.payload());
                self.active = Some(request);
                return Ok(length);
            }
        }
    }

    pub fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let request = self.active.take().ok_or("there is no request")?;
        request.loan_slice_uninit(bytes.len())?.write_from_slice(bytes).send()?;
        Ok(())
    }
}
