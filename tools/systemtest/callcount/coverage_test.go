package callcount

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../../.."

// function is a function of the product, or the function literals inside of one.
type function struct {
	folder string // below the module
	name   string // "Recv.Method" or "Func"; of a literal with "'s closure" behind it
}

func (f function) String() string { return f.folder + " " + f.name }

// position is a place in a file.
type position struct{ line, column int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// body is the range of a function's body.
type body struct {
	function
	from, to position
	entry    position // where the first block of statements begins
	calls    uint64
}

// readCalls returns how often each function of the files was called, by a folder of coverage data. Files
// are named below the module. Literals of one function are counted together.
func readCalls(t *testing.T, data string, files []string) map[function]uint64 {
	t.Helper()
	bodies := map[string][]*body{} // by file
	for _, file := range files {
		bodies[file] = functionsOf(t, file)
	}
	profile := filepath.Join(t.TempDir(), "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+data, "-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("go tool covdata: %v\n%s", err, out)
	}
	f, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		file, place, ok := strings.Cut(lines.Text(), ":")
		of := bodies[strings.TrimPrefix(file, "tapedeck/")]
		if !ok || of == nil {
			continue
		}
		var at, end position
		var statements int
		var count uint64
		if _, err := fmt.Sscanf(place, "%d.%d,%d.%d %d %d", &at.line, &at.column, &end.line, &end.column, &statements, &count); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		var inner *body
		for _, b := range of { // outer ones come first
			if !at.before(b.from) && at.before(b.to) {
				inner = b
			}
		}
		if inner != nil && (inner.entry == position{} || at.before(inner.entry)) {
			inner.entry, inner.calls = at, count
		}
	}
	calls := map[function]uint64{}
	for _, of := range bodies {
		for _, b := range of {
			calls[b.function] += b.calls
		}
	}
	return calls
}

// functionsOf returns the functions of a file, outer ones before those inside of them.
func functionsOf(t *testing.T, file string) (all []*body) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string, block *ast.BlockStmt) {
		from, to := set.Position(block.Lbrace), set.Position(block.Rbrace)
		all = append(all, &body{
			function: function{filepath.Dir(file), name},
			from:     position{from.Line, from.Column}, to: position{to.Line, to.Column},
		})
	}
	for _, d := range parsed.Decls {
		outer, ok := d.(*ast.FuncDecl)
		if !ok || outer.Body == nil {
			continue
		}
		name := receiver(outer) + outer.Name.Name
		add(name, outer.Body)
		ast.Inspect(outer.Body, func(n ast.Node) bool {
			if literal, ok := n.(*ast.FuncLit); ok {
				add(name+"'s closure", literal.Body)
			}
			return true
		})
	}
	return all
}

// receiver returns the type of a method's receiver and a dot, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	kind := f.Recv.List[0].Type
	for {
		switch k := kind.(type) {
		case *ast.StarExpr:
			kind = k.X
		case *ast.IndexExpr:
			kind = k.X
		case *ast.Ident:
			return k.Name + "."
		default:
			return ""
		}
	}
}
