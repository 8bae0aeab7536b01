//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-BxF2Gznd.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "857025e3e33385aadce20a30034ec6b9f4565136697b5cfec190f0454c027271",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-BxF2Gznd.js"),
    },
    Asset {
        path: "/assets/convert-CN6m2sdP.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "890ca0d755a516f2e225f1f4c05a3035f83a6eda80357899606fb6f96ec30571",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-CN6m2sdP.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-BOLuHtao.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "9661c1f52b9971296703d85cf4d38ba5631d436ec0826950c10bec25db7f3d6c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-BOLuHtao.js"),
    },
    Asset {
        path: "/assets/de-CyJT9FF0.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "78b7003738d9275d9a6e1ada5b9e36ad53f80b9e7eb114cd3d81630e4130d1d8",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-CyJT9FF0.js"),
    },
    Asset {
        path: "/assets/duplicates-qki9teov.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "5a49189715bda8429ad2045a3d426ee8e4a0a4c2d867d79bcc79f64f639edd0f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-qki9teov.js"),
    },
    Asset {
        path: "/assets/es-B58pcUt6.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "f85431260fc1fb5073e0ee588820b7701e45928f7682f1bbb0b4a453af201736",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-B58pcUt6.js"),
    },
    Asset {
        path: "/assets/fr-CzKNabbr.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0f36fb297e310c1bbfdb8f35e1581111ca0e5036e6ae2f5946b966e3662cea76",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-CzKNabbr.js"),
    },
    Asset {
        path: "/assets/index-CdxrM3_8.css",
        content_type: "text/css; charset=utf-8",
        sha256: "63eba0ce0589b850dfb0f0c81d29730ca4f3d527cbb8555d5259808753bf58ea",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-CdxrM3_8.css"),
    },
    Asset {
        path: "/assets/index-jVjgWnBw.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "cfe356219a54395263bf88d9b2deee8ca63f9ed52075c526c1e3f5bf17d63b00",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-jVjgWnBw.js"),
    },
    Asset {
        path: "/assets/player-BtPsJvGS.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "096c51244ce81c79a29abe0208737908d2e3d38197eb7a6e0c1ea3d09047ac5b",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-BtPsJvGS.js"),
    },
    Asset {
        path: "/assets/positions-Cx1OfUGT.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "b8af7134d5fe948a6d8914777b4f4b4dc186bde1da0e4c47a9570198d3de3191",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-Cx1OfUGT.js"),
    },
    Asset {
        path: "/assets/ru-CaKCtMWv.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "302c9906153c341de46183a04e803cb505437879d9f730c69f78528a7f757b4a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-CaKCtMWv.js"),
    },
    Asset {
        path: "/assets/write_file-C8SkitLa.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "ba976b7a802e1e808e8695018dd83e29063ad75aecbbf3502eeb8b87aeb01a27",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/write_file-C8SkitLa.js"),
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
        sha256: "1330c090785d5d07d7eb88ba8d6ae5247c61ada31f7d3e2f2d90f3bfb5bc18c1",
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
