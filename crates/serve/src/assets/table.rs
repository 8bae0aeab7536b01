//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-DlarUTWe.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d2e7eb4bc714d849cf4c4ef6f6806ef18e2f0a0f8faa69d234fe661f3c720f53",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-DlarUTWe.js"),
    },
    Asset {
        path: "/assets/convert-Bwkke3ET.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "decfd6b2422713cfd524aa99fd5f792190ac049987e2da7c72b251211a1285f2",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-Bwkke3ET.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-CJL3vJ7D.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "486c782b8b3c2271d41ec5251a2730aef9feab002bf80fd96eb1a0768d740e6c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-CJL3vJ7D.js"),
    },
    Asset {
        path: "/assets/de-2tfgycun.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "2102c3585ba8775426913ed51bef4b16e5cee5acace5fc9d3b37e569cfbe9c66",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-2tfgycun.js"),
    },
    Asset {
        path: "/assets/duplicates-XI8hBIzS.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "226240c42c11c32e950384b33a49a13095f10781883ba36fe86e9cc12c65e71b",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-XI8hBIzS.js"),
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
        path: "/assets/index-BeisaiF-.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "10ae28afee28ac9fd3aab25113ccb25993984d00fb24b1a790eb5537a9042556",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-BeisaiF-.js"),
    },
    Asset {
        path: "/assets/index-DO4UgC98.css",
        content_type: "text/css; charset=utf-8",
        sha256: "72d39f034046848eeb1348d336a7fdafd5890e5c7a1c58f133ce1ad9712cf2ad",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-DO4UgC98.css"),
    },
    Asset {
        path: "/assets/player-BQOTcYk3.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "2c5ece22cc05c35b7b8bcb150e775b88c925ac058e817c1097ce07095e936105",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-BQOTcYk3.js"),
    },
    Asset {
        path: "/assets/positions-CbvM6O6y.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "7d7f5639ab3b11fa4ae85616c7e72487cb3006e8238cde25e326986e260a0001",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-CbvM6O6y.js"),
    },
    Asset {
        path: "/assets/ru-Cl8em-V5.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d89a31fa37b72b2a0d882b87c03d8d3d7879f01ce0cdcea10af90a26a46d2e4d",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-Cl8em-V5.js"),
    },
    Asset {
        path: "/assets/write_file-BPIHCksp.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "76f26c7a15262c3fc09dd85254b7c77a316bcdfab6f1663f5806d2568fd111a2",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/write_file-BPIHCksp.js"),
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
        sha256: "ba0dab54628f491458c93fed673df64c26f470fd0c6c0553ecde0c21610983bc",
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
