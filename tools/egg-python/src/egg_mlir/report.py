"""egg-report: results files as tables, as a page, and checked."""
import argparse
import os
import pathlib
import sys
import tempfile

from egg_mlir import markers, page, rebuild, results, tables


def files_of(arguments):
    """The files that the arguments name; a folder means its *.json, sorted."""
    found = []
    for argument in map(pathlib.Path, arguments):
        found += sorted(argument.glob("*.json")) if argument.is_dir() else [argument]
    return found


def load_all(files, errors):
    """The documents without problems; sentences about the others in `errors`."""
    documents = []
    for file in files:
        try:
            document = results.load(file)
        except results.Problem as problem:
            errors.append(str(problem))
            continue
        problems = results.document_problems(document)
        errors += [f"{file}: {problem}" for problem in problems]
        if not problems:
            documents.append(document)
    return documents


def write(path, text):
    """Writes a file at once or not at all; `-` is standard output."""
    if path == "-":
        sys.stdout.write(text)
        return
    path = pathlib.Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)


def missing_paths(documents, root):
    """Sentences on payloads and recipes that a file names and the tree lacks."""
    return [f"{row['workload']}: {kind} {row[kind]} is not in the tree"
            for document in documents for row in document["rows"] for kind in ("payload", "recipe")
            if row[kind] and not pathlib.Path(root, row[kind]).is_file()]


def check_files(options, files):
    """--check: every sentence on standard error, one closing line."""
    problems = []
    documents = load_all(files, problems)
    problems += missing_paths(documents, options.root)
    tool = rebuild.find_tool(options.root, given=options.egg_run)
    if options.egg_run and tool is None:
        problems.append(f"{options.egg_run} is not a program that can be run")
    rows = sum(len(document["rows"]) for document in documents)
    built = "no egg-run found, nothing rebuilt"
    if tool and documents:
        wrong, rebuilt, left = rebuild.check(documents, options.root, tool, options.seconds, options.full)
        problems += wrong
        built = f"{rebuilt} rebuilt, {left} left out"
    for problem in problems:
        print(f"egg-report: {tables.plain(problem)}", file=sys.stderr)
    print(f"{len(files)} files, {rows} rows, {built}, {len(problems)} problems")
    return 1 if problems else 0


def readme(options, documents):
    """--readme: the block between the markers of a file."""
    path = pathlib.Path(options.readme)
    text = path.read_text(encoding="utf-8")
    try:
        wanted = markers.replaced(text, tables.readme_table(documents))
    except ValueError as error:
        print(f"egg-report: {path}: {error}", file=sys.stderr)
        return 1
    if not options.check:
        write(path, wanted)
    elif wanted != text:
        print(f"egg-report: the table of {path} is stale; run egg-report --readme {path} with the same files",
              file=sys.stderr)
        return 1
    return 0


def parser():
    """The command line."""
    result = argparse.ArgumentParser(prog="egg-report", description=__doc__)
    result.add_argument("files", nargs="*", metavar="FILE", help="results files, or folders of them")
    result.add_argument("--check", action="store_true",
                        help="recompute every figure from its samples, rebuild committed recipes, write nothing")
    result.add_argument("--full", action="store_true", help="with --check: rebuild every row, whatever it takes")
    result.add_argument("--seconds", type=float, default=300.0, help="with --check: time for rebuilding (300)")
    result.add_argument("--egg-run", metavar="PATH", help="with --check: the egg-run to rebuild with")
    result.add_argument("--root", default=".", help="the root of the repository (.)")
    result.add_argument("--markdown", metavar="PATH", help="write tables as Markdown; - is standard output")
    result.add_argument("--html", metavar="PATH", help="write one self-contained page")
    result.add_argument("--readme", metavar="PATH", help="rewrite the generated table of a file; with --check: compare")
    return result


def main(argv=None):
    """Exit code 0: done and no problem; 1: problems, each a line on stderr."""
    options = parser().parse_args(argv)
    files = files_of(options.files)
    if options.check and not options.readme:
        return check_files(options, files)
    errors = []
    documents = load_all(files, errors)
    for error in errors:
        print(f"egg-report: {tables.plain(error)}", file=sys.stderr)
    if errors:
        return 1
    if options.readme:
        return readme(options, documents)
    if options.html:
        write(options.html, page.render(documents))
    if options.markdown or not options.html:
        text = "\n".join(map(tables.document_markdown, documents)) or f"Results: {tables.NOT_MEASURED}.\n"
        write(options.markdown or "-", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
