//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-BN25jHyv.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "960bec57eefee4daf08a2398c4ef54b91a40c19aae9c693f14185a7d6e8fe2f5",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-BN25jHyv.js"),
    },
    Asset {
        path: "/assets/convert-C4cvIMQI.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "44d41ae49669cd630dcc4ccc0cf1fb2e11dadd06bc4f25b47c287d2fe6dfb86e",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-C4cvIMQI.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-BrGy8tX6.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "9cac25f58f70f4f3ad813847e22b40fc7d5dec8d80ab802a64a32bf3ad768d76",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-BrGy8tX6.js"),
    },
    Asset {
        path: "/assets/de-DdNE0Uma.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c767a5bed63742e992b059335052d7b0b02a1fbe84fc543c05888413c8577e2c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-DdNE0Uma.js"),
    },
    Asset {
        path: "/assets/duplicates-p-1dnSJ0.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "b73ce0050fb7c3f9999dd0bb1f4662b3e7e8a41ce7f82fac568d4f640e7a13a4",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-p-1dnSJ0.js"),
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
        path: "/assets/index-6No4ToD-.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "db1e765d2294b63a4fc63b98edf07b3c219b0448670aa70e7055d354fde95760",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-6No4ToD-.js"),
    },
    Asset {
        path: "/assets/index-Do6eLKEv.css",
        content_type: "text/css; charset=utf-8",
        sha256: "2989878b80b7276ba052d170788f39346d87f3eeee10c948814d436d8d8a06e6",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Do6eLKEv.css"),
    },
    Asset {
        path: "/assets/player-B97osa9_.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "f57498c43ddab2c136ca0fb11fd81b0de64b52068ae3d95f5db28185d5fcd291",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-B97osa9_.js"),
    },
    Asset {
        path: "/assets/positions-C7ccGPfs.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d175f4d20ea0aa7ff6f3ff3f56f5480d457b4fffa8a9b6399d01589c86152a49",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-C7ccGPfs.js"),
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
        sha256: "cdf0d571c78bffb0548c3cab9ad5b478d8dabe9baf4157543f346f205b7326ae",
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
