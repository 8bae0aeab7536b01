//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-CZKXHuOh.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "138974ce2785f950e313ae61fa303903b932e8923585ce01a86dc6cb18a380a5",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-CZKXHuOh.js"),
    },
    Asset {
        path: "/assets/convert-CepVTJZk.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0d1a62f957579b54e17429c26e42db3965eb622bf14e99b3c961c2951a6b2c2b",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-CepVTJZk.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-DVCIPccU.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "7b4bdea64ae9af2b0e539a85bfbe2c9964dcfdf4b1bbdf1dfccd068bf332cc81",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-DVCIPccU.js"),
    },
    Asset {
        path: "/assets/de-2tfgycun.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "2102c3585ba8775426913ed51bef4b16e5cee5acace5fc9d3b37e569cfbe9c66",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-2tfgycun.js"),
    },
    Asset {
        path: "/assets/duplicates-BUrnZfvO.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "b3d4136a0980a2832dc54e976cbc12ed40f54b18697b397e9729a441c473688f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-BUrnZfvO.js"),
    },
    Asset {
        path: "/assets/es-CS0lkBW6.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "f106055847a59719f8289b441f8dec5b96010d81fe368a7793f179d7354dd3da",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-CS0lkBW6.js"),
    },
    Asset {
        path: "/assets/fr-ZKq5V3RW.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "14456293188d6135c78461545a0c0789bfcbe94f7ab2166a20279b59c0af1ac1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-ZKq5V3RW.js"),
    },
    Asset {
        path: "/assets/index-BAIf3ZIW.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "f6bb00443f53ffa8a07c0331396c836234a5016e5ebe5e35ee667c3845f34df7",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BAIf3ZIW.js"),
    },
    Asset {
        path: "/assets/index-Dd-9_kUe.css",
        content_type: "text/css; charset=utf-8",
        sha256: "db37234e376db83cbd63bf3ce4dd9c7418a79fba17b44a15914e66c942fc9bea",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Dd-9_kUe.css"),
    },
    Asset {
        path: "/assets/player-kcxzfbdu.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "faec7d6127df0b9734f5a3271224536493c8a76324cc01e44147e45573deb0d1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-kcxzfbdu.js"),
    },
    Asset {
        path: "/assets/positions-O1hUqRGL.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "cfe44ae9eb6299b9c91e4e1921389e136133a56a1ee7343b7cb63eb14796c0ec",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-O1hUqRGL.js"),
    },
    Asset {
        path: "/assets/ru-Cl8em-V5.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d89a31fa37b72b2a0d882b87c03d8d3d7879f01ce0cdcea10af90a26a46d2e4d",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-Cl8em-V5.js"),
    },
    Asset {
        path: "/assets/write_file-B7kwhh6_.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "99b22fa8e31a87c82f1bc5b0de5f6542c77d30236f577f8223a49b178f0ef478",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/write_file-B7kwhh6_.js"),
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
        sha256: "026aa956da2732dead21aa548ba19d64ce18de2b170bf0a4259cb61c6e59adc6",
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
