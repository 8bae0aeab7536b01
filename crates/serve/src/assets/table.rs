//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-DO6Q55EZ.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c2441529ad0b52a3aa157f847f7d4ccb03658a4e2c22f9a7a18f24779006768e",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-DO6Q55EZ.js"),
    },
    Asset {
        path: "/assets/convert-BvzB9dmz.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "9c95c77f880f60720c590477d537b9a5d2fbaee366e6fb84f49afdbf5d18a0f8",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-BvzB9dmz.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-r9Oj1RaF.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "38ad3bf7d0ae59d72d918e1b316c3bf7615923413b42dd68bec529adc55d6ff1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-r9Oj1RaF.js"),
    },
    Asset {
        path: "/assets/de-CyJT9FF0.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "78b7003738d9275d9a6e1ada5b9e36ad53f80b9e7eb114cd3d81630e4130d1d8",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-CyJT9FF0.js"),
    },
    Asset {
        path: "/assets/duplicates-zC55ORQ_.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "bf105cbd03bc754e66b998c6c19cd647e1c7bbfcbda0e868672dc165c3eb63f3",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-zC55ORQ_.js"),
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
        path: "/assets/index-CS6GhBda.css",
        content_type: "text/css; charset=utf-8",
        sha256: "62fe44c79a8d0051c421aa8cac06d9faf1523ce4a82d3e8a70aed1bd75ba3ae5",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-CS6GhBda.css"),
    },
    Asset {
        path: "/assets/index-DL-vGfe1.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "3005bba1324b9269dff1f0c15bd8633a24e2c934ecaba51e7e4221acbee1d9f1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-DL-vGfe1.js"),
    },
    Asset {
        path: "/assets/player-Ia7Li8NB.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "e6bf6ba45f9f051f5692a75a4364d5202a3a15884b3e861809622147d94a83ad",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-Ia7Li8NB.js"),
    },
    Asset {
        path: "/assets/positions-ibm3q73H.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0d2a6b1ed785d2092213a47705a47194ce8af35bf7d7293b9e3eabb67f53d34f",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-ibm3q73H.js"),
    },
    Asset {
        path: "/assets/ru-CaKCtMWv.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "302c9906153c341de46183a04e803cb505437879d9f730c69f78528a7f757b4a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-CaKCtMWv.js"),
    },
    Asset {
        path: "/assets/write_file-DMSZNZKz.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "086bcbe0ca1dee53a313b150f868f8d2bef5b7fb77867856bcb181bbee8dc369",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/write_file-DMSZNZKz.js"),
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
        sha256: "020e02d4fe293dc79b55f647ee2d424f5d78c38b6038ebf8cd5f7674835ec419",
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
