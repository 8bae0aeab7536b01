//! The files of `dist`; made by `npm run build` in `web`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
    Asset {
        path: "/assets/book-iRExxkLj.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "b14a396839d08efb90a05cba80efa88e6e09649b828466344912b4b7cfd94dc7",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/book-iRExxkLj.js"),
    },
    Asset {
        path: "/assets/convert-B0VHLGoO.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "cbf180dadc5d27f8f44205308d914b695ca6eaf19592633413b063cd871b520a",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/convert-B0VHLGoO.js"),
    },
    Asset {
        path: "/assets/database_choice_and_jobs-t87ReL6v.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "182a4b3de6f379aca6c8ccc43b396fd920bba6cc0d0fa0d68fa0dce20d521fa2",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/database_choice_and_jobs-t87ReL6v.js"),
    },
    Asset {
        path: "/assets/de-Db0i7wdl.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "452a44fc0dbe88589e9c37c384d235612f2fe24dfbd86141fe0dac82738b7fc4",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/de-Db0i7wdl.js"),
    },
    Asset {
        path: "/assets/duplicates-C2__cBLy.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d217ca160af2128bb399f1cade645ebf4d008c6dcce419b8d9b0365eb9a1d261",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/duplicates-C2__cBLy.js"),
    },
    Asset {
        path: "/assets/es-C67EFYvI.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "888ca3ce5e42fe34fbc19f8373af2b435603d3438d52d6786e09da48357adf45",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/es-C67EFYvI.js"),
    },
    Asset {
        path: "/assets/fr-Bifg3PJu.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "5766f233bf9bd0846673871f32570a302fd42eca5a7ac309cb70cdc8576ff5d9",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/fr-Bifg3PJu.js"),
    },
    Asset {
        path: "/assets/index-861skWHt.css",
        content_type: "text/css; charset=utf-8",
        sha256: "a80fc233784dc73397db6dabbe00f56c357c6dee512a41181d8ef99853430ba2",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-861skWHt.css"),
    },
    Asset {
        path: "/assets/index-CbDBr_RG.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "d9d330a7c4507fd99085894ce0aa55261f6b96789be8706179f4a474e679b624",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/index-CbDBr_RG.js"),
    },
    Asset {
        path: "/assets/player-CRN0deWK.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "0b695ef3adca81d089719ab3183540516345f4b9c3e7ef69ed26a1bec0851f8c",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/player-CRN0deWK.js"),
    },
    Asset {
        path: "/assets/positions-BvlQ1Wpf.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "00edf56125188c15dec15ef4b4db950a7f6eefe2d5c1ac77fc3628af8af47af8",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/positions-BvlQ1Wpf.js"),
    },
    Asset {
        path: "/assets/ru-QxBGSjtt.js",
        content_type: "text/javascript; charset=utf-8",
        sha256: "ff7dc3d6da740400de8c183cdc8bc590279ee63be1c9c805b1ad506ea59490c3",
        is_immutable: true,
        bytes: include_bytes!("../../dist/assets/ru-QxBGSjtt.js"),
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
        sha256: "f73cf72009402856e02cbea00d0406d0d48cae73357ad2275bce62154da117a7",
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
