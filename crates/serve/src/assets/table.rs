//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-CSuqN5oB.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "436bdd03e081948c93b70b4f2160f03c246c8fa34cb50cbe5970ff45133b94d1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-CSuqN5oB.js"),
    },
    Asset {
        path: "/assets/convert-CkBHelTY.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "13c8b6a2053f16fa40ac1eace9fd535f3181a2c74e48de2d934934c34b1a6811",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-CkBHelTY.js"),
    },
    Asset {
        path: "/assets/de-DdNE0Uma.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c767a5bed63742e992b059335052d7b0b02a1fbe84fc543c05888413c8577e2c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-DdNE0Uma.js"),
    },
    Asset {
        path: "/assets/duplicates-BQTOA8B-.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "6d7c4257533615de1b1abdb57a3a0bae16933dbae6551708d0a5544d2dff7c0e",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-BQTOA8B-.js"),
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
        path: "/assets/index-DTQt43PX.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "929d2b6af2d054e47a67d0925b8ed8ca81cc6283fc7f6447971bf4657de1a5bf",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-DTQt43PX.js"),
    },
    Asset {
        path: "/assets/index-Do6eLKEv.css",
        content_type: "text/css; charset=utf-8",
        sha256: "2989878b80b7276ba052d170788f39346d87f3eeee10c948814d436d8d8a06e6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Do6eLKEv.css"),
    },
    Asset {
        path: "/assets/player-DWh8w0j9.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0f0cc036e4007c02b84b248a3fbac57edb6f221cec6a78e5aee3dcbf984c3451",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-DWh8w0j9.js"),
    },
    Asset {
        path: "/assets/positions-Bs1OD_BP.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "47e4d671ef53aa81aa301f30cadb5156a46bb07db7f12450b1c26721e591b3b1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-Bs1OD_BP.js"),
    },
    Asset {
        path: "/assets/reports-88GRiYE4.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "6b0930c046e6367d3fea76774090199cb51b3a3bf70c2be7fb5af27ea9754fea",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/reports-88GRiYE4.js"),
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
        sha256: "2f6563abe05bc180de13db8802d3001c6fbbcb12d478f0d49c24f1213e4f30d6",
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
