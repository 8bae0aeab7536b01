//! Tables of the codes of tags, countries, and facts of players and events, taken from Scidb's lists.

/// Names of tags by their codes.
pub(crate) const TAGS: [&str; 70] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "EventDate",
    "EventCountry",
    "EventType",
    "EventRounds",
    "EventCategory",
    "ECO",
    "Opening",
    "Variation",
    "SubVariation",
    "Variant",
    "SetUp",
    "FEN",
    "StartPosition",
    "Termination",
    "TimeControl",
    "TimeMode",
    "WhiteCountry",
    "BlackCountry",
    "WhiteTitle",
    "BlackTitle",
    "WhiteNA",
    "BlackNA",
    "WhiteType",
    "BlackType",
    "WhiteSex",
    "BlackSex",
    "WhiteFideId",
    "BlackFideId",
    "WhiteClock",
    "BlackClock",
    "WhiteElo",
    "WhiteRating",
    "WhiteRapid",
    "WhiteICCF",
    "WhiteUSCF",
    "WhiteDWZ",
    "WhiteECF",
    "WhiteIPS",
    "BlackElo",
    "BlackRating",
    "BlackRapid",
    "BlackICCF",
    "BlackUSCF",
    "BlackDWZ",
    "BlackECF",
    "BlackIPS",
    "WhiteTeam",
    "BlackTeam",
    "WhiteTeamCountry",
    "BlackTeamCountry",
    "Annotator",
    "Mode",
    "Source",
    "SourceDate",
    "PlyCount",
    "Remark",
    "Board",
    "FICSGamesDBGameNo",
    "Lag",
    "WhiteDays",
    "BlackDays",
    "WhiteRatingDiff",
    "BlackRatingDiff",
];

/// The code of a tag whose name is stored.
pub(crate) const OWN_NAME: u8 = 128;

/// Countries as in the tag `WhiteCountry`; the first is unknown.
pub(crate) const COUNTRIES: [&str; 266] = [
    "", "ALA", "AFG", "ALB", "ALG", "ASA", "AND", "ANG", "AIA", "ATA", "ANT", "ARG", "ARM", "ARU",
    "ANZ", "AUS", "AUT", "AZE", "AHO", "BAH", "BRN", "BAN", "BAR", "BAS", "BLR", "BEL", "BIZ",
    "BEN", "BER", "BHU", "BOL", "BIH", "BOT", "BVT", "BRA", "IOT", "IVB", "BRU", "BUL", "BUR",
    "BDI", "CAM", "CMR", "CAN", "CPV", "CAT", "CAY", "CAF", "CHA", "CHI", "CHN", "TPE", "CXR",
    "CCK", "COL", "COM", "CGO", "COK", "CRC", "CRO", "CUB", "CYP", "CZE", "TCH", "COD", "DEN",
    "DJI", "DMA", "DOM", "ECU", "GDR", "EGY", "ESA", "ENG", "GEQ", "ERI", "EST", "ETH", "FLK",
    "FAI", "FIJ", "FIN", "FRA", "GUF", "PYF", "ATF", "GAB", "GAM", "GEO", "GER", "GHA", "GBZ",
    "GBR", "GRE", "GRL", "GRN", "GLP", "GUM", "GUA", "GGY", "GUI", "GBS", "GUY", "HAI", "HMD",
    "HON", "HKG", "HUN", "ISL", "IND", "INA", "IRI", "IRQ", "IRL", "IMN", "ISR", "ITA", "CIV",
    "JAM", "SJM", "JPN", "JEY", "JOR", "KAZ", "KEN", "KIR", "KOS", "KUW", "KGZ", "LAO", "LAT",
    "LIB", "LES", "LBR", "LBA", "LIE", "LTU", "LUX", "MAC", "MKD", "MAD", "MAW", "MAS", "MDV",
    "MLI", "MLT", "MHL", "MTQ", "MTN", "MRI", "MYT", "MEX", "FSM", "MDA", "MNC", "MGL", "MNE",
    "MSR", "MAR", "MOZ", "MYA", "NAM", "NRU", "NEP", "NED", "NCL", "NZL", "NCA", "NIG", "NGR",
    "NIU", "NFK", "PRK", "NIR", "MNP", "NOR", "OMN", "PAK", "PLW", "PLE", "PAN", "PNG", "PAR",
    "PER", "PHI", "PCN", "POL", "POR", "PUR", "QAT", "REU", "ROU", "RUS", "RWA", "SHN", "SKN",
    "LCA", "VIN", "SPM", "SAM", "SMR", "STP", "KSA", "SCO", "SEN", "SRB", "SCG", "SEY", "SLE",
    "SIN", "SVK", "SLO", "SOL", "SOM", "RSA", "SGS", "KOR", "URS", "ESP", "SRI", "SUD", "SUR",
    "SWZ", "SWE", "SUI", "SYR", "TJK", "TAN", "THA", "TIB", "TLS", "TOG", "TKL", "TGA", "TRI",
    "TUN", "TUR", "TKM", "TCA", "TUV", "VUS", "UGA", "UKR", "UAE", "UMI", "USA", "URU", "UZB",
    "VAN", "VAT", "VEN", "VIE", "WLS", "WLF", "FRG", "ESH", "YEM", "YUG", "ZAM", "EAZ", "ZIM",
    "AIR", "SPC", "SEA", "NET", "ZZX",
];

/// Values of the tag `EventType`.
pub(crate) const EVENT_TYPES: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// Values of the tag `Mode`.
pub(crate) const MODES: [&str; 8] = [
    "",
    "OTB",
    "PM",
    "EM",
    "ICS",
    "TC",
    "Analysis",
    "Composition",
];

/// Values of the tag `TimeMode`.
pub(crate) const TIME_MODES: [&str; 6] = ["", "normal", "rapid", "blitz", "bullet", "corr"];

/// Values of the tag `Termination`.
pub(crate) const TERMINATIONS: [&str; 11] = [
    "",
    "Normal",
    "Unplayed",
    "Abandoned",
    "Adjudication",
    "Death",
    "Emergency",
    "RulesInfraction",
    "TimeForfeit",
    "TimeForfeitBoth",
    "Unterminated",
];

/// Values of the tag `WhiteTitle`.
pub(crate) const TITLES: [&str; 15] = [
    "", "GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM", "HGM", "CGM", "CIM", "CLGM", "CLIM",
    "CSIM",
];

/// Values of the tag `WhiteType`.
pub(crate) const SPECIES: [&str; 3] = ["", "human", "program"];

/// Values of the tag `WhiteSex`.
pub(crate) const SEXES: [&str; 3] = ["", "m", "f"];

/// Names of rating tags after the colour.
pub(crate) const RATINGS: [&str; 8] = [
    "Elo", "Rating", "Rapid", "ICCF", "USCF", "DWZ", "ECF", "IPS",
];

/// Letters of the flags that Scid has too, from bit 1 on.
pub(crate) const FLAG_LETTERS: &[u8; 12] = b"WBMENPTKQ!?U";

/// Words for the other flags, from bit 13 on.
pub(crate) const FLAG_WORDS: [&str; 9] = [
    "best",
    "decided",
    "model",
    "strategy",
    "attack",
    "sacrifice",
    "defence",
    "material",
    "pieces",
];

/// Values of the tag `Variant` by the number in the header.
pub(crate) const VARIANTS: [&str; 6] = [
    "",
    "Bughouse",
    "Crazyhouse",
    "Three-check",
    "Antichess",
    "Losers",
];

/// The text of a code. `None` for 0 and for unknown codes.
pub(crate) fn text(table: &[&'static str], code: impl Into<usize>) -> Option<&'static str> {
    let text = table.get(code.into()).copied()?;
    (!text.is_empty()).then_some(text)
}

/// The code of a text. `None` if it is empty or not in the table.
pub(crate) fn code(table: &[&str], text: &str) -> Option<u16> {
    if text.is_empty() {
        return None;
    }
    let code = table.iter().position(|&other| other == text)?;
    u16::try_from(code).ok()
}
