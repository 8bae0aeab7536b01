//! Values of options in the completions of Elvish and PowerShell, whose generated scripts have only names of options.

use std::collections::BTreeSet;
use std::fmt::Write;

use clap::Command;

/// Options with the same values.
struct SharedValues {
    /// The verbs and the option, as `tabia;ls;--where`.
    keys: Vec<String>,
    /// The values, and what each of them means.
    values: Vec<(String, String)>,
}

/// What the scripts are completed with.
#[derive(Default)]
struct Values {
    /// Verbs with those that they belong to, as `tabia;book;find`.
    verbs: BTreeSet<String>,
    options: Vec<SharedValues>,
}

impl Values {
    fn of(command: &Command) -> Self {
        let mut values = Self::default();
        values.add(command, command.get_name());
        values
    }

    fn add(&mut self, command: &Command, path: &str) {
        self.verbs.insert(path.to_owned());
        for argument in command.get_arguments() {
            let possible = argument.get_possible_values();
            let takes_value = argument.get_action().takes_values();
            if possible.is_empty() || !takes_value || argument.is_positional() {
                continue;
            }
            let values: Vec<(String, String)> = possible
                .iter()
                .filter(|value| !value.is_hide_set())
                .map(|value| {
                    let name = value.get_name().to_owned();
                    let help = value.get_help().map(ToString::to_string);
                    (name.clone(), help.unwrap_or(name))
                })
                .collect();
            let long = argument.get_long().map(|name| format!("{path};--{name}"));
            let short = argument.get_short().map(|name| format!("{path};-{name}"));
            let keys = long.into_iter().chain(short);
            match self.options.iter_mut().find(|known| known.values == values) {
                Some(known) => known.keys.extend(keys),
                None => self.options.push(SharedValues {
                    keys: keys.collect(),
                    values,
                }),
            }
        }
        for inner in command.get_subcommands() {
            self.add(inner, &format!("{path};{}", inner.get_name()));
        }
    }

    /// Verbs that take files and no other verbs.
    fn innermost(&self) -> Vec<&String> {
        let is_innermost = |verb: &&String| {
            let prefix = format!("{verb};");
            !self.verbs.iter().any(|other| other.starts_with(&prefix))
        };
        self.verbs.iter().filter(is_innermost).collect()
    }
}

/// A text in single quotes, as both shells read it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn list<'a>(texts: impl IntoIterator<Item = &'a String>, separator: &str) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| quoted(text)).collect();
    texts.join(separator)
}

/// The fields of queries with what they ask for.
fn fields() -> Vec<(String, String)> {
    let fields = tabia::query::fields().iter();
    let row = |field: &tabia::query::Field| (format!("{}:", field.name), field.asks.to_owned());
    fields.map(row).collect()
}

/// The script of Elvish with values. The verb is the first words that name one; then values follow their option, and
/// files all others.
pub(super) fn in_elvish(script: &str, command: &Command) -> String {
    let values = Values::of(command);
    let candidates = |values: &[(String, String)]| {
        let mut lines = String::new();
        for (name, help) in values {
            let _ = writeln!(lines, "        cand {} {}", quoted(name), quoted(help));
        }
        lines
    };
    let Some((head, rest)) = script.split_once("    for word $words[1..-1] {\n") else {
        return script.to_owned();
    };
    let (Some((_, table)), verbs) = (rest.split_once("\n    }\n"), list(&values.verbs, " ")) else {
        return script.to_owned();
    };
    let Some((table, end)) = table.rsplit_once("    $completions[$command]\n") else {
        return script.to_owned();
    };
    let mut tail = "    var key = $command';'$words[-2]\n    ".to_owned();
    for shared in &values.options {
        let _ = write!(
            tail,
            "if (has-value [{}] $key) {{\n{}    }} el",
            list(&shared.keys, " "),
            candidates(&shared.values)
        );
    }
    let _ = write!(
        tail,
        "if (str:has-prefix $words[-1] '-') {{
        $completions[$command]
    }} else {{
        if (eq $command 'tabia;search') {{
{}        }}
        if (has-value [{}] $command) {{
            edit:complete-filename $@words
        }} else {{
            $completions[$command]
        }}
    }}
",
        candidates(&fields()),
        list(values.innermost(), " ")
    );
    format!(
        "{head}    for word $words[1..-1] {{
        if (has-value [{verbs}] $command';'$word) {{
            set command = $command';'$word
        }} elif (not (str:has-prefix $word '-')) {{
            break
        }}
    }}
{table}{tail}{end}"
    )
}

/// The script of PowerShell with values; for everything else it proposes files by itself.
pub(super) fn in_powershell(script: &str, command: &Command) -> String {
    let values = Values::of(command);
    let results = |values: &[(String, String)]| {
        let mut lines = String::new();
        for (name, help) in values {
            let (name, help) = (quoted(name), quoted(help));
            let _ = writeln!(
                lines,
                "            [CompletionResult]::new({name}, {name}, [CompletionResultType]::ParameterValue, {help})"
            );
        }
        lines
    };
    let Some((head, rest)) = script.split_once("    $command = @(\n") else {
        return script.to_owned();
    };
    let Some((_, completions)) = rest.split_once("    $completions = @(") else {
        return script.to_owned();
    };
    let mut groups = String::new();
    for shared in &values.options {
        let _ = write!(
            groups,
            "        {{ $_ -cin {} }} {{\n{}            break\n        }}\n",
            list(&shared.keys, ", "),
            results(&shared.values)
        );
    }
    format!(
        "{head}    $verbs = @({})
    $before = @($commandElements |
        Where-Object {{ $_.Extent.EndOffset -lt $cursorPosition }} |
        ForEach-Object {{ $_.Extent.Text }})
    $command = 'tabia'
    foreach ($word in ($before | Select-Object -Skip 1)) {{
        if ($verbs -ccontains \"$command;$word\") {{
            $command = \"$command;$word\"
        }} elseif (-not $word.StartsWith('-')) {{
            break
        }}
    }}

    $values = @(switch (\"$command;$($before[-1])\") {{
{groups}    }})
    if ($values.Count -gt 0) {{
        $values.Where{{ $_.CompletionText -like \"$wordToComplete*\" }}
        return
    }}
    if ($command -ceq 'tabia;search' -and $wordToComplete -cmatch '^[a-z]' -and
        -not (Test-Path \"$wordToComplete*\")) {{
        $fields = @(
{}        )
        $fields.Where{{ $_.CompletionText -like \"$wordToComplete*\" }}
        return
    }}

    $completions = @({completions}",
        list(&values.verbs, ", "),
        results(&fields())
    )
}
