//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-CV8ZqteY.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "9d900d8b4acd860110f4e7fa323aeb527917da4dc7b9540ba77a748250fbc005",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-CV8ZqteY.js"),
    },
    Asset {
        path: "/assets/convert-Ct_MCEsN.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "624f27221fbfc57d49b6f2e4b4f52c8e8ce709373addd9c4a4314fe73d531d5d",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-Ct_MCEsN.js"),
    },
    Asset {
        path: "/assets/de-DdNE0Uma.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c767a5bed63742e992b059335052d7b0b02a1fbe84fc543c05888413c8577e2c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-DdNE0Uma.js"),
    },
    Asset {
        path: "/assets/duplicates-BnUrQ1RK.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "1a445cbf07648bd3cd302e4fac799949391557012dc1bc9e773b063c7f951945",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-BnUrQ1RK.js"),
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
        path: "/assets/index-BHTEopCW.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d3774dec7ff64cc4e80e6b2e1d50ba1e8e04276567770f2da2f1118f73f34856",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BHTEopCW.js"),
    },
    Asset {
        path: "/assets/index-Do6eLKEv.css",
        content_type: "text/css; charset=utf-8",
        sha256: "2989878b80b7276ba052d170788f39346d87f3eeee10c948814d436d8d8a06e6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Do6eLKEv.css"),
    },
    Asset {
        path: "/assets/player-Ivni1SEs.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "2151a5a2c730773815da3d8d8e6dcdee0a5a8061b10b41512558157c08d94462",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-Ivni1SEs.js"),
    },
    Asset {
        path: "/assets/positions-CH3JjpSF.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "1f3b54fb1e0ea62e8bdd20228c9c8ddb6e36093bd517066d74c6428d3d67b0f6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-CH3JjpSF.js"),
    },
    Asset {
        path: "/assets/reports-BU6KYpOo.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "adf1c938a9670b23a08908f1a64c97125147edfda5b9257e0619a8cec2a548fe",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/reports-BU6KYpOo.js"),
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
        sha256: "9f44eaa8c2fc2409df086f7595bc3a5e41ea317bf83c488b953b67cc4fc6fea5",
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
