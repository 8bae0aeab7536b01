//! The requests that write new files into the folder for outputs; without one there are none.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path as UrlPath, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, patch, post};
use serde::Deserialize;
use serde_json::{Value, json};
use tabia::base::Index;
use tabia::book::convert::convert_book;
use tabia::book::edit::{Change, EditTarget, edit};
use tabia::book::find::nag_of;
use tabia::book::merge::{MergeOptions, Merged};
use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::BookFormat;
use tabia::core::chess::{Ply, uci};
use tabia::formats::Format;
use tabia::select::RecordRanges;
use tabia::{Error, Feature, InputItem, Progress, Query, Resolver};

use crate::answers::{answer, of_type, profile_of, report};
use crate::app_state::App;
#[cfg(any(test, feature = "fuzzing"))]
use crate::job_requests::parse_json;
use crate::job_requests::{accepted, number_of, read_json};
use crate::out_folder::{NewFile, OutFolder};
use crate::params::Params;
use crate::private_folder::{PREVIEWS, PrivateFolder, remove_abandoned};
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::search_duplicates_and_previews::{Problems, loss, losses};
use crate::shelf_input::ShelfInput;
use crate::started_jobs::{JobResult, JobSubject};
use crate::stream;

/// Databases that are written into one.
const MAX_DATABASES: usize = 100;
/// Changes of a book at once.
const MAX_CHANGES: usize = 1000;
/// Bytes of a download that are read at once.
const CHUNK: usize = 64 << 10;

type Shared = State<Arc<App>>;

/// The routes of what is written, and of the files that were.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/convert", post(start_convert))
        .route("/api/v1/book/{id}", patch(start_edit))
        .route("/api/v1/book/{id}/preview", post(preview_edit))
        .route("/api/v1/jobs/{id}/files/{n}", get(download))
}

/// The folder for outputs.
pub(crate) fn out_folder(app: &App) -> Result<&Arc<OutFolder>, Problem> {
    app.out.as_ref().ok_or_else(|| {
        let text = "the server writes nothing";
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, text);
        let problem = problem.coded(Code::ReadOnly, &[]);
        problem.with_hint("start `tabia serve` with `--write --out DIR`")
    })
}

/// Databases, or the games of them that fit a query, in another format.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ConvertRequest {
    /// Ids separated by commas.
    db: String,
    #[serde(default)]
    r#where: String,
    /// Numbers of games as `1-100,205`, of one database; all if empty.
    #[serde(default)]
    games: String,
    #[serde(default)]
    deleted: bool,
    to: String,
    #[serde(default)]
    profile: String,
    name: String,
    #[serde(default)]
    force: bool,
}

async fn start_convert(State(app): Shared, request: Request) -> Response<Body> {
    let request: ConvertRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    let shared = Arc::clone(&app);
    answer(app, move |_| convert_job(&shared, &request)).await
}

fn convert_job(app: &Arc<App>, request: &ConvertRequest) -> Result<Response<Body>, Problem> {
    let new = NewDatabase::new(app, &request.name, &request.to, request.force)?;
    let inputs = databases(app, &request.db)?;
    let query = Query::parse(&request.r#where)?;
    let mut options = ConvertOptions::default();
    if let Some(input) = inputs.first() {
        options.open.clone_from(input.options());
    }
    options.open.password = ShelfInput::password_of(&inputs);
    options.create.profile = profile_of(&request.profile)?;
    options.plan.selection.deleted = request.deleted;
    if !request.games.is_empty() {
        if inputs.len() > 1 {
            let text = "`games` are numbers of one database, and `db` names several";
            return Err(Problem::bad_request(text));
        }
        let numbers = RecordRanges::parse(&request.games).map_err(Problem::bad_request)?;
        options.plan.selection.numbers = Some(numbers);
        // A record that was selected one by one is wanted, whatever its mark.
        options.plan.selection.deleted = true;
    }
    options.sort.clone_from(query.sort());
    options.plan.filter = Some(query).filter(|query| !query.is_empty());
    options.index = Index::Auto;
    options.index_options = app.bases.options_to_build();
    new.convert(app, inputs, options, |_, _, _| Ok(()))
}

/// A database that a job writes into the folder for outputs.
pub(crate) struct NewDatabase {
    out: Arc<OutFolder>,
    to: Format,
    name: String,
    force: bool,
}

impl NewDatabase {
    /// With this name in the format with the id `to`.
    pub(crate) fn new(app: &App, name: &str, to: &str, force: bool) -> Result<Self, Problem> {
        let out = Arc::clone(out_folder(app)?);
        let format = tabia::format(to).filter(|format| format.game_writer().is_some());
        let format = format.ok_or_else(|| {
            let text = format!("games cannot be written in the format `{to}`");
            Problem::bad_request(text).coded(Code::NoTarget, &[("format", &to)])
        })?;
        Ok(Self {
            out,
            to: format,
            name: name.to_owned(),
            force,
        })
    }

    /// Starts the job that converts databases into it; `prepare` completes the options in the job.
    pub(crate) fn convert(
        self,
        app: &Arc<App>,
        inputs: Vec<Arc<ShelfInput>>,
        mut options: ConvertOptions,
        prepare: impl FnOnce(&[InputItem], &mut ConvertOptions, &Arc<Progress>) -> Result<(), Problem>
        + Send
        + 'static,
    ) -> Result<Response<Body>, Problem> {
        let Self {
            out,
            to,
            name,
            force,
        } = self;
        options.create.force = force;
        options.plan.threads = app.threads;
        let file = out.new_file(&name, to, force, &app.shelf.inputs())?;
        // What cannot be written at all starts no job.
        let target = Target::file(&Resolver::default(), &file.path, Some(to));
        target.map_err(|error| without_folders(error, &out, &inputs))?;
        let subject = JobSubject {
            kind: "convert",
            inputs: inputs.iter().map(|input| input.id.clone()).collect(),
            name: Some(file.name.clone()),
        };
        let shared = Arc::clone(app);
        let job = app.started.start(subject, move |progress| {
            let hidden = |error: Error| without_folders(error, &out, &inputs);
            let mut items = Vec::new();
            for input in &inputs {
                items.push(input.resolve().map_err(hidden)?);
            }
            let prepared = prepare(&items, &mut options, progress);
            prepared.map_err(|problem| without_folders(problem, &out, &inputs))?;
            let target =
                Target::file(&Resolver::default(), &file.path, Some(to)).map_err(hidden)?;
            let mut problems = Problems::default();
            options.needs_records = true;
            let done = convert(&items, target, &options, progress, &mut problems);
            let (summary, written) = done.map_err(hidden)?;
            if written.records == 0 {
                let text = "no game would be in the file: nothing is written";
                return Err(Problem::bad_request(text).coded(Code::NoGameFits, &[]));
            }
            let mut document = json!({
                "records": written.records,
                "losses": losses(&summary.losses),
                "problems": problems.count,
                "examples": problems.first,
            });
            finish(&shared, &file, &written.files, &mut document);
            Ok(JobResult {
                document,
                files: written.files,
            })
        })?;
        accepted(&job)
    }
}

/// The databases with these ids.
pub(crate) fn databases(app: &App, ids: &str) -> Result<Vec<Arc<ShelfInput>>, Problem> {
    let ids: Vec<&str> = ids.split(',').filter(|id| !id.is_empty()).collect();
    if ids.is_empty() || ids.len() > MAX_DATABASES {
        let text = format!("`db` names 1 to {MAX_DATABASES} databases");
        return Err(Problem::bad_request(text));
    }
    let inputs = ids.iter().map(|id| {
        let input = app.shelf.find(id)?;
        if input.is_database() {
            Ok(input)
        } else {
            let problem = Problem::bad_request(format!("`{id}` is no database"));
            Err(problem.coded(Code::NoDatabase, &[("id", id)]))
        }
    });
    inputs.collect()
}

/// Adds to the result of a job what was written, and opens it as an input.
fn finish(app: &App, file: &NewFile, files: &[PathBuf], document: &mut Value) {
    let names: Vec<Value> = files
        .iter()
        .map(|path| {
            let name = path.file_name().map(OsStr::to_string_lossy);
            let bytes = std::fs::metadata(path).map(|metadata| metadata.len()).ok();
            json!({"name": name, "bytes": bytes})
        })
        .collect();
    document["files"] = json!(names);
    document["inputs"] = json!(app.shelf.add_written(&file.path));
}

/// A problem without the folders of inputs and outputs.
fn without_folders(
    problem: impl Into<Problem>,
    out: &OutFolder,
    inputs: &[Arc<ShelfInput>],
) -> Problem {
    problem.into().map_texts(|text| {
        let text = out.without_folder(text);
        inputs
            .iter()
            .fold(text, |text, input| input.without_folder(&text))
    })
}

/// A copy of a book with changes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditRequest {
    name: String,
    /// The id of a format; that of the book if empty.
    #[serde(default)]
    to: String,
    #[serde(default)]
    force: bool,
    changes: Vec<ChangeRequest>,
}

/// The same without a file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditPreviewRequest {
    #[serde(default)]
    to: String,
    changes: Vec<ChangeRequest>,
}

/// A book that is changed, and the format of the copy.
struct EditedBook {
    input: Arc<ShelfInput>,
    to: &'static BookFormat,
    changes: Vec<(EditTarget, Change)>,
    /// Whether the copy has another format than the book.
    is_converted: bool,
}

impl EditedBook {
    fn new(app: &App, id: &str, to: &str, changes: Vec<ChangeRequest>) -> Result<Self, Problem> {
        let input = app.shelf.find(id)?;
        let Some(Format::Book(format)) = input.format.filter(|_| input.error.is_none()) else {
            let problem = Problem::bad_request(format!("`{id}` is no book"));
            return Err(problem.coded(Code::NoBook, &[("id", &id)]));
        };
        let target = match to {
            "" => Some(Format::Book(format)),
            to => tabia::format(to),
        };
        let Some(Format::Book(target)) = target else {
            let text = format!("books cannot be written in the format `{to}`");
            return Err(Problem::bad_request(text).coded(Code::NoTarget, &[("format", &to)]));
        };
        if changes.is_empty() || changes.len() > MAX_CHANGES {
            let text = format!("`changes` are 1 to {MAX_CHANGES}");
            return Err(Problem::bad_request(text));
        }
        let changes = changes.into_iter().map(|change| change.parse(format));
        Ok(Self {
            input,
            to: target,
            changes: changes.collect::<Result<Vec<_>, _>>()?,
            is_converted: target.file.id != format.file.id,
        })
    }

    /// Writes the copy. Another format is made of a copy in the format of the book, in a private folder.
    fn write(self, path: &Path, force: bool, progress: &Progress) -> tabia::Result<Merged> {
        let item = self.input.resolve()?;
        let mut options = MergeOptions::default();
        options.open.clone_from(self.input.options());
        if !self.is_converted {
            options.create.force = force;
            return edit(&item, self.changes, path, &options, progress);
        }
        let parent = std::env::temp_dir();
        let folder = PrivateFolder::new(&parent, PREVIEWS)
            .map_err(|error| Error::from(error).in_path(&parent).in_output())?;
        let extension = self
            .input
            .format
            .map(Format::extensions)
            .unwrap_or_default();
        let extension = extension.first().copied().unwrap_or_default();
        let changed = folder.path().join(format!("changed.{extension}"));
        let first = edit(&item, self.changes, &changed, &options, progress)?;
        let changed = first.written.files.first().cloned().unwrap_or(changed);
        let mut found = Resolver::default().resolve_each(changed.as_os_str())?;
        let Some(Ok(changed)) = found.pop() else {
            return Err(Error::invalid("the changed book is empty"));
        };
        options.create.force = force;
        let (open, create) = (&options.open, &options.create);
        let mut merged = convert_book(&changed, self.to, path, open, create, progress)?;
        merged.unreached += first.unreached;
        Ok(merged)
    }
}

fn merged_document(merged: &Merged) -> Value {
    let lost = merged.losses.iter();
    let lost: Vec<Value> = lost
        .map(|(feature, lost)| loss(feature, lost.count))
        .collect();
    json!({
        "positions": merged.positions,
        "moves": merged.moves,
        "unreached": merged.unreached,
        "losses": lost,
    })
}

/// What is changed of a move; what is absent stays as it is, and a move that the book does not have is added.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChangeRequest {
    #[serde(default)]
    fen: String,
    /// Moves from there in UCI notation, separated by commas.
    #[serde(default)]
    play: String,
    r#move: String,
    #[serde(default)]
    remove: bool,
    weight: Option<u16>,
    /// Symbols with spaces between them; empty for none.
    annotation: Option<String>,
    advice: Option<Advice>,
    comment: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Advice {
    Play,
    Avoid,
    None,
}

/// What of a move can be changed in books of a format.
pub(crate) fn editable(format: &BookFormat) -> Value {
    let can = format.can;
    json!({
        "weight": can.has(Feature::BookWeights),
        "annotation": can.has(Feature::Nags),
        // Books with annotations colour moves, too.
        "advice": can.has(Feature::Nags),
        "comment": can.has(Feature::Comments),
    })
}

impl ChangeRequest {
    fn parse(self, format: &BookFormat) -> Result<(EditTarget, Change), Problem> {
        let pairs = [("fen", self.fen), ("play", self.play)];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value));
        let (.., position) = Params(pairs.into()).position()?;
        let text = self.r#move;
        let Some(Ply::Move(m)) = uci::read(&position, text.as_bytes()) else {
            let text = format!("`{text}` is not a legal move in {}", position.fen());
            return Err(Problem::bad_request(text));
        };
        let can = format.can;
        let asked = [
            (self.weight.is_some(), Feature::BookWeights, "weights"),
            (self.annotation.is_some(), Feature::Nags, "annotations"),
            (self.advice.is_some(), Feature::Nags, "advice"),
            (self.comment.is_some(), Feature::Comments, "comments"),
        ];
        let missing = asked
            .iter()
            .find(|(asks, feature, _)| *asks && !can.has(*feature));
        if let Some((.., what)) = missing {
            let text = format!("{} has no {what} of moves", format.file.name);
            return Err(Problem::bad_request(text));
        }
        let nags = self.annotation.map(|text| {
            let words = text.split_whitespace();
            let nags = words.map(|word| {
                nag_of(word).ok_or_else(|| Problem::bad_request(format!("`{word}` is no symbol")))
            });
            nags.collect::<Result<Vec<_>, _>>()
        });
        let mut change = Change::default();
        change.remove = self.remove;
        change.weight = self.weight.map(u32::from);
        change.nags = nags.transpose()?;
        change.advice = self.advice.map(|advice| match advice {
            Advice::Play => Some(true),
            Advice::Avoid => Some(false),
            Advice::None => None,
        });
        change.comment = self.comment;
        if change == Change::default() {
            return Err(Problem::bad_request(format!(
                "nothing of `{text}` is changed"
            )));
        }
        Ok((EditTarget::Board(Box::new(position), m), change))
    }
}

/// What a copy of a book with changes would lose, also in another format; asked again until it is known.
async fn preview_edit(
    State(app): Shared,
    UrlPath(id): UrlPath<String>,
    request: Request,
) -> Response<Body> {
    let request: EditPreviewRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    answer(app, move |app| {
        out_folder(app)?;
        let state = app.shelf.find(&id)?.state_of_files();
        let key = format!("book\n{id}\n{state}\n{request:?}");
        let edited = EditedBook::new(app, &id, &request.to, request.changes)?;
        let job = app.reports.get_or_start(&key, Value::Null, move |job| {
            let parent = std::env::temp_dir();
            remove_abandoned(&parent, PREVIEWS);
            let folder = PrivateFolder::new(&parent, PREVIEWS)
                .map_err(|error| Error::from(error).in_path(&parent).in_output())?;
            let extension = edited.to.file.extensions.first();
            let extension = extension.copied().unwrap_or_default();
            let path = folder.path().join(format!("preview.{extension}"));
            let merged = edited.write(&path, false, &job.progress)?;
            let mut found = merged_document(&merged);
            found["bytes"] = json!(merged.written.bytes);
            job.update(|report| *report = found);
            Ok(())
        })?;
        report(&job, None)
    })
    .await
}

async fn start_edit(
    State(app): Shared,
    UrlPath(id): UrlPath<String>,
    request: Request,
) -> Response<Body> {
    let request: EditRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    let shared = Arc::clone(&app);
    answer(app, move |_| edit_job(&shared, &id, request)).await
}

fn edit_job(app: &Arc<App>, id: &str, request: EditRequest) -> Result<Response<Body>, Problem> {
    let out = Arc::clone(out_folder(app)?);
    let edited = EditedBook::new(app, id, &request.to, request.changes)?;
    let all = app.shelf.inputs();
    let format = Format::Book(edited.to);
    let file = out.new_file(&request.name, format, request.force, &all)?;
    let subject = JobSubject {
        kind: "book",
        inputs: vec![id.to_owned()],
        name: Some(file.name.clone()),
    };
    let shared = Arc::clone(app);
    let inputs = [Arc::clone(&edited.input)];
    let job = app.started.start(subject, move |progress| {
        let hidden = |error: Error| without_folders(error, &out, &inputs);
        let merged = edited.write(&file.path, file.force, progress);
        let merged = merged.map_err(hidden)?;
        let mut document = merged_document(&merged);
        finish(&shared, &file, &merged.written.files, &mut document);
        Ok(JobResult {
            document,
            files: merged.written.files,
        })
    })?;
    accepted(&job)
}

/// A file that a job has written.
async fn download(
    State(app): Shared,
    UrlPath((id, number)): UrlPath<(String, String)>,
) -> Response<Body> {
    answer(app, move |app| {
        let missing = || Problem::not_found("the job has written no such file");
        let job = app.started.find(number_of(&id)?)?;
        let number: usize = number.parse().map_err(|_| missing())?;
        let path = job.file(number).ok_or_else(missing)?;
        let (file, bytes, name) = out_folder(app)?.open(&path)?;
        let mut response = of_type("application/octet-stream", Vec::new());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
        let value = format!("attachment; filename*=UTF-8''{}", percent_encoded(&name));
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
        let (sender, body) = stream::body();
        *response.body_mut() = body;
        tokio::spawn(send(file, bytes, sender));
        Ok(response)
    })
    .await
}

/// Sends the bytes of a file; each part is read in a thread that may wait for the disk.
async fn send(file: File, bytes: u64, sender: stream::Sender) {
    let (mut file, mut left) = (file, bytes);
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        let read = tokio::task::spawn_blocking(move || {
            let mut part = vec![0; wanted];
            let count = file.read(&mut part);
            (file, part, count)
        });
        let Ok((again, mut part, Ok(count))) = read.await else {
            return;
        };
        if count == 0 {
            return;
        }
        file = again;
        part.truncate(count);
        left -= count as u64;
        if !sender.send(Bytes::from(part)).await {
            return;
        }
    }
}

/// The bytes of a name as a header may have them.
fn percent_encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            text.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Reads a body as every request of this file does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_bodies(body: &[u8]) {
    if let Ok(request) = parse_json::<ConvertRequest>(body) {
        // An error names what is wrong.
        let _ = Query::parse(&request.r#where);
        let _ = RecordRanges::parse(&request.games);
        let _ = profile_of(&request.profile);
    }
    for format in tabia::formats::formats().filter_map(Format::book) {
        let changes = match parse_json::<EditRequest>(body) {
            Ok(request) => request.changes,
            Err(_) => match parse_json::<EditPreviewRequest>(body) {
                Ok(request) => request.changes,
                Err(_) => return,
            },
        };
        for change in changes {
            let _ = change.parse(format);
        }
    }
}
