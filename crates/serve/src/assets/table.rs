//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-CaU7xtGF.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "6aa221725ccbb04e696811fcbc15bb96ca4e3080b9d6f7e9ffba6a8c5254f3d6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-CaU7xtGF.js"),
    },
    Asset {
        path: "/assets/convert-C8NUYvls.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "86e0e25fc248ed3dd160e563916141aedfe803f41b7aded8ff10947622fab1ad",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-C8NUYvls.js"),
    },
    Asset {
        path: "/assets/de-DdNE0Uma.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c767a5bed63742e992b059335052d7b0b02a1fbe84fc543c05888413c8577e2c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-DdNE0Uma.js"),
    },
    Asset {
        path: "/assets/duplicates-CAjyhazV.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "66ce06b05aa84e3f55eb054382d432cd10fa5a99e402758a363fe1c6c2b2e509",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-CAjyhazV.js"),
    },
    Asset {
        path: "/assets/es-BDCyVQT1.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "e80928972f7fc98176cdb08ebc271b7fabe92b59ab282972c101cb88124634e3",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-BDCyVQT1.js"),
    },
    Asset {
        path: "/assets/fr-D7Mj5qZI.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "b3dc7e2d9ca0b65ad243baf41facec62994f3dc0cfbd2d68b038e84b9e8d78e1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-D7Mj5qZI.js"),
    },
    Asset {
        path: "/assets/index-BeLHXDpa.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "21f4cd8c0c0ec80ea9a06d08362066b493df0d98f7523decf79c51d81ba1d38a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BeLHXDpa.js"),
    },
    Asset {
        path: "/assets/index-Do6eLKEv.css",
        content_type: "text/css; charset=utf-8",
        sha256: "2989878b80b7276ba052d170788f39346d87f3eeee10c948814d436d8d8a06e6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Do6eLKEv.css"),
    },
    Asset {
        path: "/assets/player-C4tfl1cT.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "afc69909c2b93a723d1265258012a3fc925db1983032b7195357c7518b3e3bcd",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-C4tfl1cT.js"),
    },
    Asset {
        path: "/assets/positions-DCKbdPWK.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "23c3a97e829b76d5300a89cd5d98cc4cd9edf926be3298b9b40cd6a80a16d06d",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-DCKbdPWK.js"),
    },
    Asset {
        path: "/assets/reports-DGMSERTP.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "f5246b0d4835812af56dba71765c0c37bf0dca54e71788d4455552fb13490ce6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/reports-DGMSERTP.js"),
    },
    Asset {
        path: "/assets/ru-DSh8GGtz.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "9daa185d5e1c03261bc9fee5022f74407c3d32049b3e36bf940894bcfe5aa8ae",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-DSh8GGtz.js"),
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
        sha256: "6ddfcde7201d94647fb4af3098d864e076c80e067c756b58b989c757c064ad6a",
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
