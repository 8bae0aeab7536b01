//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-BlwULFaJ.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0deb76e9579ec3922dc0d4ee0ef023272e6b71606d6da3ec4ea9493bd6a0429e",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-BlwULFaJ.js"),
    },
    Asset {
        path: "/assets/convert-CCnbgBUm.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "27b9bdc4179459c838ca8f95ef47293927de602901a7e09688fe5ffda5c1eaf1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-CCnbgBUm.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-9yD8N136.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "c14c4f8cf183fa88915c3418f4dcc45f358feb2dfa9102bd646c92e014ae8bed",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-9yD8N136.js"),
    },
    Asset {
        path: "/assets/de-uyqsXgtN.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "43fc083b4c90b85aa4f05ef501e7c35836df9187c7b6fa9bc404e11f8d2bafec",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-uyqsXgtN.js"),
    },
    Asset {
        path: "/assets/duplicates-f5i_eJ_D.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "331d589e2bd40b282aa9110c54d3fd0b09f06d3c6c6c35280fad5117137563e9",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-f5i_eJ_D.js"),
    },
    Asset {
        path: "/assets/es-CXd-NXwP.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "81b66d0640d533a054c79ec5d06b2ed3cf7abe7e2cda717c21e8d19cc1b10ee2",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-CXd-NXwP.js"),
    },
    Asset {
        path: "/assets/fr-CdrHv2nL.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "20a3b7e59b17a6f5738f23e64fe1f5acb94b1bf63de501f6f97da39ef62a2921",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-CdrHv2nL.js"),
    },
    Asset {
        path: "/assets/index-BUSqBC4E.css",
        content_type: "text/css; charset=utf-8",
        sha256: "135d23b7f7fd31dd665046ae219a127bcd308134474844e67c037ca62c6df2d1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BUSqBC4E.css"),
    },
    Asset {
        path: "/assets/index-CSZokSot.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "1102ac41248b57ef4c7a17c0162de7cc7deaa8271098a236429d7a17f5293a81",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-CSZokSot.js"),
    },
    Asset {
        path: "/assets/player-RoDoFJsg.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "3633d10963bab6e4ca81c0aa49410ebd6743c1f44e6bbf51f6232b330e00e10a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-RoDoFJsg.js"),
    },
    Asset {
        path: "/assets/positions-CFLHhcUQ.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "56c780106ad03cab18c990f29a727d54d47e3f9ef2a42b764605d3e54fb0fff1",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-CFLHhcUQ.js"),
    },
    Asset {
        path: "/assets/ru-EpsBeAv4.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "4bf3d6851dea18a885065b9af90afa2b3b3246a4ab08758be7b24d10211d0827",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-EpsBeAv4.js"),
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
        sha256: "4d2e3cc02c8857f93486131fcd44a4e68d2cf0903e44fd1d9542774b58e417f4",
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
