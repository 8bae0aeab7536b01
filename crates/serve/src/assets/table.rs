//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/de-BQgsjsh6.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "34c8400011c7b6392aa573bfabfe9400cf98a586c36d07de67c9008a14025d40",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-BQgsjsh6.js"),
    },
    Asset {
        path: "/assets/es-9ne1kCPP.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "8ec7129bbe3bb7c0354410fff3cd18768e324d0e8888957d0b4929a08c08e897",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-9ne1kCPP.js"),
    },
    Asset {
        path: "/assets/fr-C6SQCYOZ.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "54a94a9df28bccc2ee3a2581279008e9fbc1806bec110fe94865a9226a2142aa",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-C6SQCYOZ.js"),
    },
    Asset {
        path: "/assets/index-B3D0vdRe.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "36ca08c056cbc81813e13b9d3c8b936d8e9b0788287f875872641e7df3c12a5c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-B3D0vdRe.js"),
    },
    Asset {
        path: "/assets/index-CesOklIa.css",
        content_type: "text/css; charset=utf-8",
        sha256: "55aecab5247ed71d0fe05c525658b07ada33feb20c0af01e025b2f12c43883cf",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-CesOklIa.css"),
    },
    Asset {
        path: "/assets/ru-D-ha1Fg4.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "af151c734ce55b68aaa5610a16d120a8f7fad1f22106e3c474b9d86043323177",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-D-ha1Fg4.js"),
    },
    Asset {
        path: "/icon.svg",
        content_type: "image/svg+xml",
        sha256: "da2b0c8c1c52ee36bcd41fa668662ea9939555cfce44bcae74f5407526a96816",
        is_immutable: false,
        bytes: include_bytes!("../../dist/icon.svg"),
    },
    Asset {
        path: "/index.html",
        content_type: "text/html; charset=utf-8",
        sha256: "af5186516c144443c542359c463acddd67463b18a205ed6219d1374bee7af8b8",
        is_immutable: false,
        bytes: include_bytes!("../../dist/index.html"),
    },
    Asset {
        path: "/licences.txt",
        content_type: "text/plain; charset=utf-8",
        sha256: "853d4612179ea3ac2da58ab8d6ae73c0d0b1acaee1c479a138ae8974b07a20f5",
        is_immutable: false,
        bytes: include_bytes!("../../dist/licences.txt"),
    },
];
