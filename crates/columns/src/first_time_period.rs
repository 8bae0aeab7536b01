//! The first period of a tag `TimeControl`.

/// Seconds at its start and seconds added for each move, as in `300+3`, `40/7200` or `5400+30:…`; `None`
/// for what has no such period: `-`, `?`, an hourglass.
pub(crate) fn first_period(text: &str) -> Option<(i32, i16)> {
    let period = text.trim().split(':').next()?;
    let time = match period.split_once('/') {
        Some((moves, time)) => {
            moves.parse::<u32>().ok()?;
            time
        }
        None => period,
    };
    let (initial, increment) = time.split_once('+').unwrap_or((time, "0"));
    Some((
        number(initial)?.try_into().ok()?,
        number(increment)?.try_into().ok()?,
    ))
}

fn number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_period_counts() {
        for (text, expected) in [
            ("300+3", Some((300, 3))),
            ("600", Some((600, 0))),
            ("40/7200:3600+30", Some((7200, 0))),
            ("40/5400+30:1800+30", Some((5400, 30))),
            ("-", None),
            ("?", None),
            ("*180", None),
            ("+3", None),
            ("300+99999", None),
            ("99999999999", None),
            ("", None),
        ] {
            assert_eq!(first_period(text), expected, "{text}");
        }
    }
}
