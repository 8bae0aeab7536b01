//! `tabia shard`: one of several parts of databases.

use tabia::Error;
use tabia::select::Shard;

use crate::args::ShardArgs;
use crate::commands::convert;
use crate::exit_code::ExitCode;

pub(crate) fn run(args: &ShardArgs) -> Result<ExitCode, Error> {
    let (index, of) = (args.index, args.of);
    let Some(shard) = Shard::new(index, of) else {
        let text = format!("there is no shard {index} of {of}");
        return Err(Error::usage(text).with_hint("`--index` is a number from 1 to that of `--of`"));
    };
    let mut convert = convert::plain(&args.paths, &args.output, args.to.as_deref(), &args.common);
    convert.shard = Some(shard);
    convert.force = args.force;
    convert.profile = args.profile;
    convert.select.records.include_deleted = args.include_deleted;
    convert::convert_files(&convert).map(|converted| converted.code)
}
