//! The names and addresses of this machine on its network.

use std::net::{Ipv4Addr, UdpSocket};

/// An address of the documentation, which nothing is sent to: the system only chooses the way to it.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);

/// The address that other machines reach this one at, and its name in `.local`.
pub(super) fn hosts() -> Vec<String> {
    let mut hosts: Vec<String> = own_address().into_iter().collect();
    let name = std::fs::read_to_string("/etc/hostname")
        .ok()
        .or_else(|| std::env::var_os("COMPUTERNAME")?.into_string().ok());
    let name = name.unwrap_or_default();
    let name = name.trim().split('.').next().unwrap_or_default();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_name) {
        hosts.push(format!("{name}.local"));
    }
    hosts
}

fn own_address() -> Option<String> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((ELSEWHERE, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then(|| own.to_string())
}
