//! How fast games are, in the words of Lichess.

/// How fast a game was, by its time control: the time for 40 moves.
pub(crate) fn speed_of(time_control: &str) -> &'static str {
    let first = time_control.split(':').next().unwrap_or_default().trim();
    if first == "-" {
        return "correspondence";
    }
    let time = first.rsplit('/').next().unwrap_or_default();
    let (initial, increment) = time.split_once('+').unwrap_or((time, "0"));
    let number = |text: &str| text.trim_start_matches('*').parse::<u64>().ok();
    let (Some(initial), Some(increment)) = (number(initial), number(increment)) else {
        return "classical";
    };
    match initial.saturating_add(increment.saturating_mul(40)) {
        0..30 => "ultraBullet",
        30..180 => "bullet",
        180..480 => "blitz",
        480..1500 => "rapid",
        1500..86_400 => "classical",
        _ => "correspondence",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_those_of_the_time_for_forty_moves() {
        for (time_control, speed) in [
            ("15+0", "ultraBullet"),
            ("60+0", "bullet"),
            ("180+2", "blitz"),
            ("300+0", "blitz"),
            ("600+5", "rapid"),
            ("5400+30", "classical"),
            ("40/7200:3600", "classical"),
            ("-", "correspondence"),
            ("", "classical"),
            ("?", "classical"),
        ] {
            assert_eq!(speed_of(time_control), speed, "{time_control}");
        }
    }
}
