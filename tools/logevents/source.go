package logevents

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Event is an event that the program logs.
type Event struct {
	Message    string // "component: what happened"
	Level      string // debug, info, warn or error
	Attributes []string
	Folders    []string // that log it
}

// Component returns the part of the program that logs an event.
func (e Event) Component() string {
	component, _, _ := strings.Cut(e.Message, ": ")
	return component
}

// roots are the folders of the program's code.
var roots = []string{"cmd", "deploy", "ingest", "query", "replay", "schema", "internal"}

// Read returns the events that the code in a repository logs, by message. The error has a line for each
// place that breaks a rule of the package.
func Read(repository string) ([]Event, error) {
	r := reader{root: repository, files: token.NewFileSet(), events: map[string]*Event{}}
	for _, folder := range roots {
		err := filepath.WalkDir(filepath.Join(repository, folder), r.visit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	events := make([]Event, 0, len(r.events))
	for _, e := range r.events {
		slices.Sort(e.Attributes)
		slices.Sort(e.Folders)
		events = append(events, *e)
	}
	slices.SortFunc(events, func(a, b Event) int {
		return cmp.Or(strings.Compare(a.Component(), b.Component()), strings.Compare(a.Message, b.Message))
	})
	return events, errors.Join(r.broken...)
}

// reader collects events from files.
type reader struct {
	root   string
	files  *token.FileSet
	events map[string]*Event // by message
	broken []error
}

// visit reads a file of the program. Tests and the folders of their support log what they like.
func (r *reader) visit(name string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case d.IsDir():
		if d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasSuffix(d.Name(), "test") {
			return fs.SkipDir
		}
		return nil
	case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
		return nil
	}
	file, err := parser.ParseFile(r.files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(r.root, filepath.Dir(name))
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			r.checkName(n)
		case *ast.CallExpr:
			r.call(n, filepath.ToSlash(folder))
		}
		return true
	})
	return nil
}

// wrong adds the error of a place.
func (r *reader) wrong(at ast.Node, format string, args ...any) {
	p := r.files.Position(at.Pos())
	name, err := filepath.Rel(r.root, p.Filename)
	if err != nil {
		name = p.Filename
	}
	r.broken = append(r.broken, fmt.Errorf("%s:%d: %s", filepath.ToSlash(name), p.Line, fmt.Sprintf(format, args...)))
}

// loggers are the names of variables, fields, parameters and methods that hold a logger, by which calls
// are recognised.
var loggers = []string{"log", "Log", "logger", "Logger"}

// checkName checks the names of fields and parameters that hold loggers.
func (r *reader) checkName(f *ast.Field) {
	pointer, _ := f.Type.(*ast.StarExpr)
	if pointer == nil || nameOf(pointer.X) != "Logger" || packageOf(pointer.X) != "slog" {
		return
	}
	for _, name := range f.Names {
		if !slices.Contains(loggers, name.Name) {
			r.wrong(f, "the logger %s must be called log or Log, since events are found by this name", name.Name)
		}
	}
}

// levels are the methods of a logger that log an event.
var levels = map[string]string{"Debug": "debug", "Info": "info", "Warn": "warn", "Error": "error"}

// call reads a call if it is one of a logger.
func (r *reader) call(c *ast.CallExpr, folder string) {
	method, is := c.Fun.(*ast.SelectorExpr)
	if !is {
		return
	}
	if packageOf(method) == "slog" {
		switch name := method.Sel.Name; {
		case name == "NewLogLogger":
			r.wrong(c, "slog.NewLogLogger logs messages that are not constant: use httplog.New, or a writer with a constant message")
		case levels[strings.TrimSuffix(name, "Context")] != "":
			r.wrong(c, "slog.%s logs to the default logger: take a logger of its own as an option", name)
		}
		return
	}
	if !isLogger(method.X) {
		if logsText(method, c.Args) {
			r.wrong(c, "the logger %s must be called log or Log, since events are found by this name", nameOf(method.X))
		}
		return
	}
	var level string
	message := 0
	switch name := method.Sel.Name; name {
	case "Log", "LogAttrs", "With", "WithGroup":
		r.wrong(c, "%s: call Debug, Info, Warn or Error with all attributes, so that the reference has the level and the attributes", name)
		return
	default:
		if base, is := strings.CutSuffix(name, "Context"); is {
			level, message = levels[base], 1
		} else {
			level = levels[name]
		}
	}
	if level == "" || len(c.Args) <= message {
		return
	}
	text, is := constant(c.Args[message])
	if !is {
		r.wrong(c, "the message is not a constant string: put what varies into an attribute")
		return
	}
	r.add(c, Event{Message: text, Level: level, Attributes: r.keys(c, c.Args[message+1:]), Folders: []string{folder}})
}

// logsText reports whether a call looks like one of a logger: a level, and a message of the form of events.
func logsText(method *ast.SelectorExpr, args []ast.Expr) bool {
	if levels[method.Sel.Name] == "" || len(args) == 0 {
		return false
	}
	text, is := constant(args[0])
	return is && strings.Contains(text, ": ")
}

// isLogger reports whether an expression is a logger, by its name.
func isLogger(e ast.Expr) bool {
	if c, is := e.(*ast.CallExpr); is {
		e = c.Fun
	}
	return slices.Contains(loggers, nameOf(e)) && packageOf(e) != "slog"
}

// keys returns the keys of attributes.
func (r *reader) keys(c *ast.CallExpr, args []ast.Expr) []string {
	keys := map[string]bool{}
	for len(args) > 0 {
		taken := 2
		key, is := constant(args[0])
		if attr, made := args[0].(*ast.CallExpr); made && packageOf(attr.Fun) == "slog" && len(attr.Args) > 0 {
			key, is = constant(attr.Args[0])
			taken = 1
		}
		if !is || len(args) < taken || c.Ellipsis.IsValid() {
			r.wrong(c, "the attributes must be pairs of a constant key and a value")
			return nil
		}
		keys[key] = true
		args = args[taken:]
	}
	return slices.Collect(maps.Keys(keys))
}

// add records that an event is logged at a place.
func (r *reader) add(at ast.Node, e Event) {
	before := r.events[e.Message]
	switch {
	case before == nil:
		r.events[e.Message] = &e
		return
	case before.Level != e.Level:
		r.wrong(at, "%q is logged with the level %s here and %s elsewhere", e.Message, e.Level, before.Level)
	}
	before.Attributes = union(before.Attributes, e.Attributes)
	before.Folders = union(before.Folders, e.Folders)
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// constant returns the value of a string literal, or of a sum of them.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := constant(e.X)
		right, isRight := constant(e.Y)
		return left + right, isLeft && isRight && e.Op == token.ADD
	}
	return "", false
}

// nameOf returns the last name of an expression: Log of s.opts.Log.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// packageOf returns x of x.Name.
func packageOf(e ast.Expr) string {
	if s, is := e.(*ast.SelectorExpr); is {
		if x, is := s.X.(*ast.Ident); is {
			return x.Name
		}
	}
	return ""
}
