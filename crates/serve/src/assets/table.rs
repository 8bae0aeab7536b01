//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-Bu4oXKdc.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "e3b06d822168d75c37fbe6d853ce45bb4add28378cfab6b1e6657acbb67ffdaa",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-Bu4oXKdc.js"),
    },
    Asset {
        path: "/assets/convert-DH2CUpJz.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "acc8fb9378e5e68c323c37be7c12f18a5b0e0d026d812d5b3b46c670f02a1bfd",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-DH2CUpJz.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-Ds7JvO8_.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "8fb46bd18f374bffbb54878120bac277fe8a9988f20c24af78a43cf3a7240ba9",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-Ds7JvO8_.js"),
    },
    Asset {
        path: "/assets/de-B1Ag_yn4.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "ddecbc5657283f6fcbe7275cbc8345ede206ee23c9faa039b9d9481fd8091e3f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-B1Ag_yn4.js"),
    },
    Asset {
        path: "/assets/duplicates-CD1ONYgk.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "2bfec8cbd8ae0efbda0f2e1535c41f034d60650c319eabe81448ad539b6815be",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-CD1ONYgk.js"),
    },
    Asset {
        path: "/assets/es-Ut706_ou.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "318f9f9e7c013f6a9d421337b4c6ff5a02691d1aee372ff0f2e75568273de33c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-Ut706_ou.js"),
    },
    Asset {
        path: "/assets/fr-F0OAThHJ.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "69eefb0d8876e5934efc8a3790a12afdb21d4c80f399e7031d7b7ebdb07148f9",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-F0OAThHJ.js"),
    },
    Asset {
        path: "/assets/index-Dv_IhLs5.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "322f4c04f81c4a947b6ed6782808c7231ca80e99ab77f1058cb2966db02e708d",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-Dv_IhLs5.js"),
    },
    Asset {
        path: "/assets/index-KSyqSt8I.css",
        content_type: "text/css; charset=utf-8",
        sha256: "c913b3b719a786b8259e82c8f058e0fa899e17e6eca2d9243fef07c06adec5ed",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-KSyqSt8I.css"),
    },
    Asset {
        path: "/assets/player-0IreVqjO.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "2eb5b1d4121a2d916d8dbe3eff2c1ab10f64f1e8e4ea19b062b7f7351be7f31b",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-0IreVqjO.js"),
    },
    Asset {
        path: "/assets/positions-CfLbgXl2.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "1f77dc632614f9b7b8c86d03c36c0e2c564fae7e7c479df35dfa7e336bd4e1fc",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-CfLbgXl2.js"),
    },
    Asset {
        path: "/assets/ru-BcllETdq.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0582d8b919a132eac3c94b9da2626e91b27ce66d81c7591c363baa0429e56fb2",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-BcllETdq.js"),
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
        sha256: "1e438ca9e390054eadbb295503b1d9eb199638421e54de73cd58bc11da9b6287",
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
