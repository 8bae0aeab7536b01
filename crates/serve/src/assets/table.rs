//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-DsSwll2-.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "29e121a4babb43e5324cbca367b239f188d1f51dd3a3da01cf165e62c4110514",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-DsSwll2-.js"),
    },
    Asset {
        path: "/assets/convert-DaQ2CmC1.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "adcf80f0d9e419e7aff4cf418cce73b828de11b76dfe5c9d980b8b6c8c7ea732",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-DaQ2CmC1.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-DdHY6O4-.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "5da75d0bdeaa5c1f33b36885e452f2ec4f83f8986376a3429b0ebf43f9582229",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-DdHY6O4-.js"),
    },
    Asset {
        path: "/assets/de-CyJT9FF0.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "78b7003738d9275d9a6e1ada5b9e36ad53f80b9e7eb114cd3d81630e4130d1d8",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-CyJT9FF0.js"),
    },
    Asset {
        path: "/assets/duplicates-5WUx8SDH.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "b99f11da9f0df887dc6f93ba2d5d4144acc55a7d5ba76bcbd65445dc3883e590",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-5WUx8SDH.js"),
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
        path: "/assets/index-BAn99zSt.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "316f680f3ecace925f003bd0b914d834d118eeb468b856596fdc396fbaf7a7b3",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BAn99zSt.js"),
    },
    Asset {
        path: "/assets/index-xW-jAjCK.css",
        content_type: "text/css; charset=utf-8",
        sha256: "d77133cf5284b145a6e532e02e4b95ae9e390c9120eb1ff3bfe75affd7e5ecee",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-xW-jAjCK.css"),
    },
    Asset {
        path: "/assets/player-CRFDHEVB.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "548909101046dcd0389e436c2c59a26de8dc5c68d4a7a946854e7f81372b296a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-CRFDHEVB.js"),
    },
    Asset {
        path: "/assets/positions-DI1Mq4re.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "1b9ace9f52c21328597913594d7e29d176c31571a464bd7c448b6a8b9beca8e4",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-DI1Mq4re.js"),
    },
    Asset {
        path: "/assets/ru-CaKCtMWv.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "302c9906153c341de46183a04e803cb505437879d9f730c69f78528a7f757b4a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-CaKCtMWv.js"),
    },
    Asset {
        path: "/assets/write_file-DVefz-a5.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "a99c5cf58d085f076654ce5868f91bb75b97b15f2f761ac8437e7c4858cd0af1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/write_file-DVefz-a5.js"),
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
        sha256: "8a5454a605e17900874814766ca67551dfc0e2a36e4a372130c666b744194ca7",
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
