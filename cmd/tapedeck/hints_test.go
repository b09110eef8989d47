package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Commands, flags and variables that messages, help, pages and documentation name
// are there: each command is parsed as if a user had typed it.
func TestHints(t *testing.T) {
	texts := hintTexts(t)
	known := newKnown(t, texts)
	found := 0
	for _, text := range texts {
		for _, h := range commandsIn(text) {
			found++
			if err := known.check(h.args); err != nil {
				t.Errorf("%s: %q: %v", text.at, h.text, err)
			}
		}
		if text.kind != inGo || namesOtherFlags(text.at) {
			continue
		}
		for _, flag := range loneFlag.FindAllString(text.text, -1) {
			if name := strings.TrimPrefix(flag, "--"); !known.flags[name] {
				t.Errorf("%s: no command takes %s", text.at, flag)
			}
		}
		for _, name := range variable.FindAllString(text.text, -1) {
			if !known.variables[name] {
				t.Errorf("%s: nothing reads the variable %s", text.at, name)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands were found in all texts", found)
	}
}

// namesOtherFlags reports whether a file's strings hold flags of other programs.
func namesOtherFlags(path string) bool {
	return strings.Contains(path, "local/engine/") || strings.Contains(path, "tools/tapedeck-bench/") || strings.Contains(path, "tools/bench/") ||
		strings.Contains(path, "tools/helmrender/") || strings.Contains(path, "ingest/redact/arguments") || strings.Contains(path, "ingest/redact/assignment") ||
		strings.Contains(path, "cmd/tapedeck/programs") || strings.Contains(path, "command/agenthooks/git")
}

// What does not exist is found, wherever in a text it stands.
func TestHintsFindsMistakes(t *testing.T) {
	known := newKnown(t, nil)
	for text, wrong := range map[textAt]bool{
		{inGo, "", `"tapedeck sessions" lists those there are`}:              false,
		{inGo, "", `"tapedeck token create" makes one`}:                      true,
		{inGo, "", "see tapedeck invoices"}:                                  true,
		{inGo, "", "the tapedeck server is away"}:                            false,
		{inGo, "", `"tapedeck dead-letters retry" tries again`}:              false,
		{inGo, "", `"tapedeck dead-letters mend" tries again`}:               true,
		{inGo, "", `"tapedeck serve --role sink" stores`}:                    false,
		{inGo, "", `"tapedeck serve --role store" stores`}:                   true,
		{inGo, "", `next     tapedeck show %s, or with --again`}:             false,
		{inMarkdown, "", "with `tapedeck record FILE --fast` in one go"}:     true,
		{inMarkdown, "", "```sh\ncat x | tapedeck record --sesion y -\n```"}: true,
		{inMarkdown, "", "| `tapedeck emulate http\\|loom SESSION` | x |"}:   false,
		{inPages, "", "`tapedeck proxy${server} --upstream ${x}\\n`"}:        false,
		{inPages, "", "<code>tapedeck redecode --dialekt NAME</code> reads"}: true,
	} {
		var err error
		for _, h := range commandsIn(text) {
			err = known.check(h.args)
		}
		if (err != nil) != wrong {
			t.Errorf("%s: %v", text.text, err)
		}
	}
}

type kind int

const (
	inGo       kind = iota // a string of a program
	inMarkdown             // a page of documentation
	inPages                // a source of the UI
)

// textAt is a text that may name commands.
type textAt struct {
	kind kind
	at   string // file and line
	text string
}

type hint struct {
	text string
	args []string // without the program's name
}

var (
	// A command in quotes ends with them; otherwise the sentence may go on behind it,
	// and only the command's name and what follows as flags is looked at.
	quoted     = regexp.MustCompile("[\"`]tapedeck ([^\"`\\\\]*)")
	bare       = regexp.MustCompile(`(?:^|[\s(>])tapedeck ([a-z][a-z-]*)((?: --?[a-z-]+)*)`)
	inlineCode = regexp.MustCompile("`(?:bin/)?tapedeck ([^`]*)`")
	fenced     = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	typed      = regexp.MustCompile(`(?m)(?:^\s*(?:\$ )?|[|;&(] ?)(?:bin/)?tapedeck ([^\n|;&>#)]*)`)
	pageCode   = regexp.MustCompile(`tapedeck ([^<|\x60\n]*)`)
	expression = regexp.MustCompile(`\$\{[^}]*\}`)
	loneFlag   = regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)
	variable   = regexp.MustCompile(`TAPEDECK_[A-Z_]+[A-Z]`)
)

// commandsIn finds the commands that a text names.
func commandsIn(text textAt) (hints []hint) {
	add := func(s string) {
		if args := words(s); len(args) > 0 {
			hints = append(hints, hint{"tapedeck " + s, args})
		}
	}
	switch text.kind {
	case inMarkdown:
		s := strings.ReplaceAll(text.text, "\\\n", " ")
		for _, m := range fenced.FindAllStringSubmatch(s, -1) {
			for _, c := range typed.FindAllStringSubmatch(m[1], -1) {
				add(c[1])
			}
		}
		for _, m := range inlineCode.FindAllStringSubmatch(fenced.ReplaceAllString(s, ""), -1) {
			add(m[1])
		}
	case inPages:
		s := strings.NewReplacer(`${server}`, " --server x", `\\\n`, " ", `\n`, "\n").Replace(text.text)
		for _, m := range pageCode.FindAllStringSubmatch(s, -1) {
			if m[1] = expression.ReplaceAllString(m[1], "x"); !isProse(m[1]) {
				add(strings.TrimRight(m[1], `',:.`))
			}
		}
	default:
		for _, m := range quoted.FindAllStringSubmatch(text.text, -1) {
			add(m[1])
		}
		for _, m := range bare.FindAllStringSubmatch(text.text, -1) {
			if !isProse(m[1]) {
				add(m[1] + m[2])
			}
		}
	}
	return hints
}

// isProse reports whether a sentence is about the program rather than about a command.
func isProse(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return slices.Contains([]string{
		"server", "server's", "program", "in", "on", "is", "that", "answers", "does", "recorded", "under", "commands", "and", "data",
	}, strings.TrimRight(word, ",.:;"))
}

var placeholder = strings.NewReplacer("%s", "x", "%d", "1", "%v", "x", "…", "", "[", "", "]", "", `\"`, `"`)

// words splits a command as a shell does, as far as hints need it. Of alternatives,
// as a|b in a table, the first stands for all.
func words(s string) (all []string) {
	var word strings.Builder
	in := rune(0)
	begun := false
	end := func() {
		if w, _, _ := strings.Cut(word.String(), `\|`); begun && (w != "" || in != 0) {
			all = append(all, w)
		}
		word.Reset()
		begun = false
	}
	for _, r := range placeholder.Replace(s) {
		switch {
		case in != 0 && r == in:
			in = 0
		case in == 0 && (r == '\'' || r == '"'):
			in, begun = r, true
		case in == 0 && (r == ' ' || r == '\t'):
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return all
}

// known is what the command line knows.
type known struct {
	cli       *cli
	parser    *kong.Kong
	flags     map[string]bool
	variables map[string]bool
}

func newKnown(t *testing.T, texts []textAt) *known {
	t.Helper()
	k := &known{&cli{}, nil, map[string]bool{"help": true}, map[string]bool{}}
	k.parser = hintParser(t, k.cli)
	_ = kong.Visit(k.parser.Model, func(n kong.Visitable, next kong.Next) error {
		if f, ok := n.(*kong.Flag); ok {
			k.flags[f.Name] = true
			for _, alias := range f.Aliases {
				k.flags[alias] = true
			}
			for _, e := range f.Envs {
				k.variables[e] = true
			}
		}
		return next(nil)
	})
	for _, text := range texts { // read by name: a string that is nothing else
		if text.kind == inGo && variable.FindString(text.text) == text.text {
			k.variables[text.text] = true
		}
	}
	return k
}

func hintParser(t *testing.T, c *cli) *kong.Kong {
	t.Helper()
	parser, err := kong.New(c, kong.Name("tapedeck"), kong.BindTo(t.Context(), (*context.Context)(nil)), kong.Bind(&c.global),
		kong.Exit(func(int) { t.Error("the parser wanted to exit") }))
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// wrong are the parser's errors for what is not there. Others are no mistake of a
// hint: it may leave out what a command needs, and names values by placeholders.
var wrong = regexp.MustCompile(`unknown flag|unexpected argument|there is no command|must be one of`)

// check parses a command without running it.
func (k *known) check(args []string) error {
	args = slices.DeleteFunc(slices.Clone(customary(args)), func(a string) bool { return a == "--help" })
	_, err := parse(k.parser, k.cli, args)
	if err != nil && wrong.MatchString(err.Error()) {
		return err
	}
	return nil
}

// hintTexts returns all texts of the repository that reach a user: strings of programs,
// tests excepted, the pages' sources, and the documentation.
func hintTexts(t *testing.T) (texts []textAt) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "dist" || name == "bin" || name == "testdata") {
				return filepath.SkipDir
			}
		case strings.HasSuffix(name, "_test.go") || strings.Contains(name, ".test.") || strings.HasSuffix(name, ".gen.ts"):
		case strings.HasSuffix(name, ".go"):
			texts = append(texts, stringsOf(t, path)...)
		case strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".tsx"):
			if strings.HasPrefix(path, filepath.Join(root, "dashboards", "web", "src")) {
				texts = append(texts, textAt{inPages, path, read(t, path)})
			}
		case strings.HasSuffix(name, ".md"):
			texts = append(texts, textAt{inMarkdown, path, read(t, path)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// stringsOf returns the string literals of a Go file, tags of fields included.
func stringsOf(t *testing.T, path string) (texts []textAt) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			s, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, textAt{inGo, set.Position(l.Pos()).String(), s})
		}
		return true
	})
	return texts
}
