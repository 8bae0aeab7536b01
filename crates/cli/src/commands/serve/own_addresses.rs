//! The names and addresses of this machine on its network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Addresses of the documentation, which nothing is sent to: the system only chooses the way to them.
const ELSEWHERE: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
];

/// The addresses that other machines reach this one at, that of IPv6 in brackets, and its name in `.local`.
pub(super) fn hosts() -> Vec<String> {
    let mut hosts: Vec<String> = ELSEWHERE.into_iter().filter_map(own_address).collect();
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

fn own_address(elsewhere: IpAddr) -> Option<String> {
    let any: IpAddr = match elsewhere {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((elsewhere, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    let is_reachable = !own.is_loopback() && !own.is_unspecified();
    is_reachable.then(|| match own {
        IpAddr::V4(own) => own.to_string(),
        IpAddr::V6(own) => format!("[{own}]"),
    })
}
