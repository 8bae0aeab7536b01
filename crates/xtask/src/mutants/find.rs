//! Finds the mutants of a source file: small changes of expressions and statements.

use std::collections::HashMap;
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A change of one expression, statement or function.
#[derive(Debug, Clone)]
pub(crate) struct Mutant {
    /// The file, from the root of the repository.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) function: String,
    /// The bytes that are replaced.
    pub(crate) span: Range<usize>,
    pub(crate) original: String,
    /// The new text; of a removed statement it is empty.
    pub(crate) changed: String,
    pub(crate) form: Form,
    /// Which of the equal changes in the function this is, from 1.
    pub(crate) number: u32,
}

/// How the original and the changed text are switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// An expression has another value.
    Expression,
    /// A statement is not executed.
    Removed,
    /// A function returns at once.
    Return,
}

impl Mutant {
    /// A line that identifies the mutant as long as its function does not change.
    pub(crate) fn key(&self) -> String {
        let number = match self.number {
            1 => String::new(),
            number => format!(" ({number})"),
        };
        format!(
            "{}: {}: {}{number}",
            self.file,
            self.function,
            self.change()
        )
    }

    /// The change in one line.
    pub(crate) fn change(&self) -> String {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let original = one_line(&self.original);
        match self.form {
            Form::Expression => format!("`{original}` -> `{}`", one_line(&self.changed)),
            Form::Removed => format!("without `{original}`"),
            Form::Return => format!("begins with `{}`", self.changed),
        }
    }

    /// The texts before and after the original: `switch` is true if the mutant is on.
    pub(crate) fn around(&self, switch: &str) -> (String, &'static str) {
        let changed = &self.changed;
        match self.form {
            Form::Expression => (format!("(if {switch} {{ {changed} }} else {{ "), " })"),
            Form::Removed => (format!("if !{switch} {{ "), " }"),
            Form::Return => (format!("if {switch} {{ {changed} }} "), ""),
        }
    }
}

/// All mutants of a file, in its order. Tests and constants have none.
///
/// # Errors
/// If the file is not Rust.
pub(crate) fn mutants(file: &str, text: &str) -> Result<Vec<Mutant>, String> {
    let parsed = syn::parse_file(text).map_err(|error| format!("{file}: {error}"))?;
    let mut finder = Finder {
        file,
        text,
        function: String::new(),
        found: Vec::new(),
    };
    finder.visit_file(&parsed);
    let mut found = finder.found;
    found.sort_by_key(|mutant| (mutant.span.start, mutant.span.end));
    let mut seen: HashMap<String, u32> = HashMap::new();
    for mutant in &mut found {
        let number = seen.entry(mutant.key()).or_insert(0);
        *number += 1;
        mutant.number = *number;
    }
    Ok(found)
}

struct Finder<'t> {
    file: &'t str,
    text: &'t str,
    /// The function that is visited; empty outside.
    function: String,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn add(&mut self, span: Span, form: Form, changed: String) {
        let range = span.byte_range();
        let original = self.text_of(span);
        self.add_at(range, span.start().line, original, form, changed);
    }

    fn add_at(
        &mut self,
        span: Range<usize>,
        line: usize,
        original: String,
        form: Form,
        changed: String,
    ) {
        if self.function.is_empty() || original == changed {
            return;
        }
        self.found.push(Mutant {
            file: self.file.to_owned(),
            line,
            function: self.function.clone(),
            span,
            original,
            changed,
            form,
            number: 1,
        });
    }

    fn text_of(&self, span: Span) -> String {
        self.text
            .get(span.byte_range())
            .unwrap_or_default()
            .to_owned()
    }

    /// Visits the body of a function, unless it is a test or evaluated by the compiler.
    fn function(
        &mut self,
        attributes: &[syn::Attribute],
        signature: &syn::Signature,
        body: &syn::Block,
    ) {
        if signature.constness.is_some() || is_test(attributes) {
            return;
        }
        let outer = std::mem::replace(&mut self.function, signature.ident.to_string());
        if let Some(first) = body.stmts.first() {
            let start = first.span();
            let at = start.byte_range().start;
            for value in early_returns(&signature.output) {
                self.add_at(
                    at..at,
                    start.start().line,
                    String::new(),
                    Form::Return,
                    value,
                );
            }
        }
        visit::visit_block(self, body);
        self.function = outer;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.attrs, &item.sig, body);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    // What the compiler evaluates cannot be switched.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let (left, right) = (
                self.text_of(binary.left.span()),
                self.text_of(binary.right.span()),
            );
            for operator in other_operators(&binary.op) {
                let changed = format!("({left}) {operator} ({right})");
                self.add(binary.span(), Form::Expression, changed);
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        if !has_let(&branch.cond) {
            let changed = format!("!({})", self.text_of(branch.cond.span()));
            self.add(branch.cond.span(), Form::Expression, changed);
        }
        visit::visit_expr_if(self, branch);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard
            && !has_let(guard)
        {
            for value in ["true", "false"] {
                self.add(guard.span(), Form::Expression, value.to_owned());
            }
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_lit(&mut self, literal: &'ast syn::ExprLit) {
        let changed = match &literal.lit {
            syn::Lit::Bool(value) => Some((!value.value).to_string()),
            syn::Lit::Int(value) => other_number(value),
            _ => None,
        };
        if let Some(changed) = changed {
            self.add(literal.span(), Form::Expression, changed);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        if let syn::Stmt::Expr(expression, Some(_)) = statement
            && can_be_removed(expression)
        {
            self.add(statement.span(), Form::Removed, String::new());
        }
        visit::visit_stmt(self, statement);
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|ident| ident == "test");
        is_cfg_test || attribute.path().is_ident("test")
    })
}

/// Whether a condition binds names, as in `if let`.
fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn other_operators(operator: &syn::BinOp) -> &'static [&'static str] {
    use syn::BinOp;
    match operator {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Sub(_) | BinOp::Mul(_) => &["+"],
        BinOp::Add(_) => &["-"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::BitAnd(_) | BinOp::BitXor(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        _ => &[],
    }
}

/// A neighbour of a number, with its suffix.
fn other_number(literal: &syn::LitInt) -> Option<String> {
    let value: u64 = literal.base10_parse().ok()?;
    // The largest values of the types have no successor.
    let is_largest = |bits: u32| value == u64::MAX >> (64 - bits);
    let changed = if [7, 8, 15, 16, 31, 32, 63, 64].into_iter().any(is_largest) {
        value - 1
    } else {
        value + 1
    };
    Some(format!("{changed}{}", literal.suffix()))
}

/// Whether the code compiles without the statement: it has no value and defines nothing.
fn can_be_removed(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Call(_)
        | syn::Expr::MethodCall(_)
        | syn::Expr::Assign(_)
        | syn::Expr::Try(_)
        | syn::Expr::Return(_)
        | syn::Expr::Break(_)
        | syn::Expr::Continue(_) => true,
        syn::Expr::Binary(binary) => matches!(
            binary.op,
            syn::BinOp::AddAssign(_)
                | syn::BinOp::SubAssign(_)
                | syn::BinOp::BitOrAssign(_)
                | syn::BinOp::BitAndAssign(_)
                | syn::BinOp::ShlAssign(_)
                | syn::BinOp::ShrAssign(_)
        ),
        _ => false,
    }
}

/// Statements that return a value of the type at once.
fn early_returns(output: &syn::ReturnType) -> Vec<String> {
    let syn::ReturnType::Type(_, kind) = output else {
        return vec!["return;".to_owned()];
    };
    let syn::Type::Path(path) = kind.as_ref() else {
        return Vec::new();
    };
    let Some(last) = path.path.segments.last() else {
        return Vec::new();
    };
    let values: &[&str] = match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" => &["0", "1"],
        "Option" => &["None"],
        "String" => &["String::new()"],
        "Vec" => &["Vec::new()"],
        "Result" if returns_nothing(&last.arguments) => &["Ok(())"],
        _ => &[],
    };
    values
        .iter()
        .map(|value| format!("return {value};"))
        .collect()
}

/// Whether the first argument of `Result` is the empty type.
fn returns_nothing(arguments: &syn::PathArguments) -> bool {
    let syn::PathArguments::AngleBracketed(arguments) = arguments else {
        return false;
    };
    let first = arguments.args.first();
    matches!(first, Some(syn::GenericArgument::Type(syn::Type::Tuple(tuple))) if tuple.elems.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        let found = mutants("a.rs", text).unwrap();
        found.iter().map(Mutant::change).collect()
    }

    #[test]
    fn expressions_statements_and_functions_have_mutants() {
        let text = "fn f(a: u32) -> bool { g(); a < 3 }";
        assert_eq!(
            keys(text),
            [
                "begins with `return true;`",
                "begins with `return false;`",
                "without `g();`",
                "`a < 3` -> `(a) <= (3)`",
                "`a < 3` -> `(a) >= (3)`",
                "`3` -> `4`",
            ]
        );
    }

    #[test]
    fn tests_constants_and_patterns_have_none() {
        for text in [
            "const A: u32 = 1 + 2;",
            "const fn f() -> u32 { 1 + 2 }",
            "#[cfg(test)] mod tests { fn f() -> u32 { 1 } }",
            "#[test] fn f() { g(); }",
            "struct S([u8; 3]);",
        ] {
            assert_eq!(keys(text), [""; 0], "{text}");
        }
        let found = keys("fn f(a: S) -> S { match a { S(1) => [b; 2], _ => c } }");
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn conditions_that_bind_names_are_not_negated() {
        let found = keys("fn f() -> S { if let Some(a) = b && a { c } else { d } }");
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn equal_changes_are_numbered() {
        let found = mutants("a.rs", "fn f() -> S { g(true, true) }").unwrap();
        let keys: Vec<String> = found.iter().map(Mutant::key).collect();
        assert_eq!(
            keys,
            [
                "a.rs: f: `true` -> `false`",
                "a.rs: f: `true` -> `false` (2)"
            ]
        );
    }
}
