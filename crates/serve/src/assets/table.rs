//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-COEN1JdF.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "13dd708e89093c863cf86ef9eb2476a6b1cc096721fef7efb01679f39962ba42",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-COEN1JdF.js"),
    },
    Asset {
        path: "/assets/convert-B3jWKIwb.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "ede0676bde9913c68a96555aceb6134e24b842bfbac7765c798ae7d72d8d6aea",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-B3jWKIwb.js"),
    },
    Asset {
        path: "/assets/de-DdNE0Uma.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c767a5bed63742e992b059335052d7b0b02a1fbe84fc543c05888413c8577e2c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-DdNE0Uma.js"),
    },
    Asset {
        path: "/assets/duplicates-B50A-JaU.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0ae8d41f9cdbce76f171796c5938968555df4a5dd400be45c9218e5b572f7f3f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-B50A-JaU.js"),
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
        path: "/assets/index-CmY2uzL3.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "e30d8ad3c03c7a2528f2113c0c1a1df2c53c15b322024b33c7390ab98d2c16ac",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-CmY2uzL3.js"),
    },
    Asset {
        path: "/assets/index-Do6eLKEv.css",
        content_type: "text/css; charset=utf-8",
        sha256: "2989878b80b7276ba052d170788f39346d87f3eeee10c948814d436d8d8a06e6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Do6eLKEv.css"),
    },
    Asset {
        path: "/assets/player-CzWRYtMf.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0a2490379503659ec4498eaf59e1533d6669a2c4ec53251b9dc8322761ad67ef",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-CzWRYtMf.js"),
    },
    Asset {
        path: "/assets/positions-Rj5PERcu.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "179be6754184a59b968777609529c4b457805455dee0b9d8ec625d370e938084",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-Rj5PERcu.js"),
    },
    Asset {
        path: "/assets/reports-9fV6Auvy.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "043e728d2c59123a802e3f379f71b48cd2143a479c48d74745e6f0d66d92ad9f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/reports-9fV6Auvy.js"),
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
        sha256: "69db14cd1ed08fc8d383f13af20bfec5de3b61d60bc99643a1defd76238605b5",
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
