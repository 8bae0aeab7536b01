//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-C-6g-E-1.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "1e0e9389c2b74cf6044467f873d914fb9f1b782e6cb2bbe5e14ff071df143282",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-C-6g-E-1.js"),
    },
    Asset {
        path: "/assets/convert-BL0dqQr5.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "32806906421715279baba47002ffa758ff52e7e0aa343d8ad5bf129a62efc23f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-BL0dqQr5.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-DsOMELPg.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "e409d676785edee411e793a4ab14a61a45c9f598653bb7d574ab51ea255be6b8",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-DsOMELPg.js"),
    },
    Asset {
        path: "/assets/de-CWhDLdh2.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "736310fc1f4070d425a564f66f21159f5c57efb5ddd4df19ebade8940a75a076",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-CWhDLdh2.js"),
    },
    Asset {
        path: "/assets/duplicates-DRWNZB1u.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "105c1b01dd54664d954c915bacddb92bd251f8b94c5bf80878d7efd1c125e3cd",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-DRWNZB1u.js"),
    },
    Asset {
        path: "/assets/es-EUjaVBP7.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "cde33db43aa530c8e9cc0a4a39e2942898f2efbf49a116e2af41e14d2cc45e22",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-EUjaVBP7.js"),
    },
    Asset {
        path: "/assets/fr-Cx8RgmM0.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "5967a14d37f05c32108baf37151fb24eaa0c4f892c5992791b4ca9a1300e7480",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-Cx8RgmM0.js"),
    },
    Asset {
        path: "/assets/index-BujCLQdm.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "ad546b81cde3dff27be2bad702ae343a0d7039c84419397b7ee8b22043076b93",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BujCLQdm.js"),
    },
    Asset {
        path: "/assets/index-xW-jAjCK.css",
        content_type: "text/css; charset=utf-8",
        sha256: "d77133cf5284b145a6e532e02e4b95ae9e390c9120eb1ff3bfe75affd7e5ecee",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-xW-jAjCK.css"),
    },
    Asset {
        path: "/assets/player-ZRKRHo5U.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "69545964eded78ce4adff30b106cd62890fff2d350517033e68b000e998687ef",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-ZRKRHo5U.js"),
    },
    Asset {
        path: "/assets/positions-Cxvu2eh-.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "20c77d278dc8a0f9e585e93d4e1d749a7c865b16f7943e6c6d8c0b0a8b232949",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-Cxvu2eh-.js"),
    },
    Asset {
        path: "/assets/ru-DNefXWwl.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "88c02ade118e745fda8fda2f6178dce66a9c5d9eb75b3a7d214df8767bbea807",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-DNefXWwl.js"),
    },
    Asset {
        path: "/assets/write_file-qZA2Z0Oa.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "adbaf38f6d312c89988a3aec0dd6509b1abfa778b64ffc45c6a6a2da37f9ae80",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/write_file-qZA2Z0Oa.js"),
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
        sha256: "ab233cc3e8056e1ecaf3c29095b697a9309fff64199f9ba7ca75e99047f292dc",
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
